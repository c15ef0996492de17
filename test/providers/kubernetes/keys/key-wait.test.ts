import { expect, it, onTestFinished, vi } from 'vitest';
import type { Answer, KeyLease } from '../../../../src/providers/kubernetes/keys/key-lease.ts';
import { KeyWait } from '../../../../src/providers/kubernetes/keys/key-wait.ts';

const CLAIM = 'a.1';

function leaseWith(answer: Answer): KeyLease {
  const request = { id: CLAIM, hostUid: 'uid-1', advertise: undefined, atMs: 0, answer };
  const lease = { name: 'key', version: '1', holder: 'b.1', advertised: undefined };
  return { ...lease, requests: [request] };
}

/** Reads the answer every 5 seconds. @returns after how many seconds the wait ended, and how. */
async function endOfWait(answer: Answer, waitMs: number): Promise<unknown> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const now = performance.now();
  const patience = { deadline: now + waitMs, answerDeadline: now + 3000 };
  const wait = new KeyWait(CLAIM, patience, new AbortController().signal);
  let end: unknown;
  wait.end.then(
    (how) => (end = how),
    () => undefined,
  );
  for (let seconds = 0; seconds < 60; seconds += 1) {
    if (end !== undefined) return [seconds, end];
    if (seconds % 5 === 1) wait.see(leaseWith(answer));
    await vi.advanceTimersByTimeAsync(1000);
  }
  return 'none';
}

it.each([
  ['none', 0, 3],
  ['in use', 0, 2],
  ['in use', 20_000, 20],
  ['soon', 0, 11],
  ['soon', 20_000, 20],
] as const)(
  'who gets the answer %j, and waits %d ms, gives up after %d seconds, however often it reads that',
  async (answer, waitMs, seconds) => {
    expect(await endOfWait(answer, waitMs)).toEqual([seconds, 'late']);
  },
);

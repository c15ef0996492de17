import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { ApprovalQueue } from '../../src/tools/policy/approval-queue.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { Till } from './batches/till.ts';
import { connect, request } from './fake-connection.ts';

const TIMEOUT_MS = 5000;
const APPROVAL_MS = 60_000;

// The clock stands still, however long a test takes.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A run whose calls of `add` wait for an approval, and the limits that its runner is given. */
function start(): ReturnType<typeof connect> & {
  readonly queue: ApprovalQueue;
  readonly running: Promise<unknown>;
  readonly limits: () => number[];
} {
  const queue = new ApprovalQueue();
  const policy = new PolicyGate({
    rules: [{ tool: 'add', action: 'ask' }],
    approver: queue,
    approvalTimeoutMs: APPROVAL_MS,
  });
  const connected = connect();
  const running = connected.connection.execute(request({ policy, timeoutMs: TIMEOUT_MS }));
  const limits = (): number[] =>
    connected.runner.received.flatMap((message) =>
      message.kind === 'extend' ? [message.time_limit_ms] : [],
    );
  return { ...connected, queue, running, limits };
}

it('a runner gets the time that approvals may take, and the rest of the limit when they have ended', async () => {
  const { runner, queue, running, limits } = start();
  const answered = createDeferred<void>();
  let answers = 0;
  runner.onMessage = (message: HostMessage) => {
    if (message.kind === 'tool-result' && (answers += 1) === 2) answered.resolve();
  };
  runner.say(toolCall('a', 'add', { x: 1 }), toolCall('b', 'add', { x: 2 }));
  const [first, second] = queue.pending;
  queue.approve(first?.id ?? '');
  queue.reject(second?.id ?? '', { reason: 'no' });
  await answered.promise;
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok' });
  // Two questions, and the last answer.
  const waits = limits().map((limit) => limit > TIMEOUT_MS);
  expect(waits).toEqual([true, true, false]);
  for (const limit of limits()) {
    const leftMs = limit > TIMEOUT_MS ? limit - APPROVAL_MS : limit;
    expect(leftMs).toBe(TIMEOUT_MS);
  }
  const extended = runner.received.find(({ kind }) => kind === 'extend');
  expect(extended).toMatchObject({ execution_id: '1' });
});

it('a runner gets the time that the approval of a batch may take once', async () => {
  const till = new Till();
  const extended = (): number =>
    till.runner.received.filter(({ kind }) => kind === 'extend').length;
  till.pay(1, 2, 3);
  till.waits();
  const { decide } = await till.nextBatch();
  expect(extended()).toBe(1);
  decide({ others: { approved: true } });
  await till.answered(3);
  expect(extended()).toBe(2);
  till.runner.say(outcome());
  expect(await till.ended).toMatchObject({ status: 'ok' });
});

it('a runner whose program ends while calls wait gets no further message', async () => {
  const { runner, queue, running, limits } = start();
  runner.say(toolCall('a', 'add', { x: 1 }));
  expect(queue.pending).toHaveLength(1);
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok' });
  expect(queue.pending).toEqual([]);
  expect(limits()).toHaveLength(1);
});

it('a program has at most ten requests at the approver, and the next one is asked when one is decided [host/open-approvals]', async () => {
  const { runner, queue, running, limits } = start();
  const count = 25;
  const results: string[] = [];
  const answered = createDeferred<void>();
  runner.onMessage = (message: HostMessage) => {
    if (message.kind !== 'tool-result') return;
    results.push(message.call_id);
    if (results.length === count) answered.resolve();
  };
  const ids = Array.from({ length: count }, (_, index) => `call-${index}`);
  runner.say(...ids.map((id, index) => toolCall(id, 'add', { x: index })));
  let mostAtOnce = 0;
  while (results.length < count) {
    const { pending } = queue;
    mostAtOnce = Math.max(mostAtOnce, pending.length);
    for (const { id, requestedAtMs, expiresAtMs } of pending) {
      // The deadline of one that had to wait for its turn begins when it is asked.
      expect(expiresAtMs - requestedAtMs).toBe(APPROVAL_MS);
      queue.approve(id);
    }
    await nextTurn();
  }
  await answered.promise;
  expect(mostAtOnce).toBe(10);
  expect(results.toSorted()).toEqual(ids.toSorted());
  // The clock counts again once the last is decided; before, at most for the moments until the next ones are asked.
  expect(limits().filter((limit) => limit <= TIMEOUT_MS).length).toBeLessThan(count);
  expect(limits().at(-1)).toBeLessThanOrEqual(TIMEOUT_MS);
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok', toolCalls: count });
});

it('a call that waits for the approver ends when its program gives it up, and is never asked about', async () => {
  const { runner, queue, running } = start();
  const answered = createDeferred<HostMessage>();
  runner.onMessage = (message: HostMessage) => {
    if (message.kind === 'tool-result') answered.resolve(message);
  };
  for (let index = 0; index < 11; index++) runner.say(toolCall(`call-${index}`, 'add', { x: 1 }));
  runner.say({ kind: 'call-given-up', execution_id: '1', call_id: 'call-10' });
  expect(await answered.promise).toMatchObject({
    call_id: 'call-10',
    error: { type: 'Cancelled' },
  });
  const [first] = queue.pending;
  queue.approve(first?.id ?? '');
  await nextTurn();
  expect(queue.pending.map(({ callId }) => callId)).not.toContain('call-10');
  expect(queue.pending).toHaveLength(9);
  runner.say(outcome());
  await running;
});

it('calls that wait for the approver when their program ends are never asked about', async () => {
  const { runner, queue, running } = start();
  for (let index = 0; index < 990; index++) runner.say(toolCall(`call-${index}`, 'add', { x: 1 }));
  const asked = queue.pending.length;
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok', toolCalls: 990 });
  await nextTurn();
  expect(asked).toBe(10);
  expect(queue.pending).toEqual([]);
});

/** Lets everything happen that waits for nothing. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

import type Docker from 'dockerode';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ExitWatch } from '../../../src/providers/docker/container/exit-watch.ts';

/** Less than the time that a call of the engine may take. */
const LATE_MS = 14_000;

test('an engine that says late how a container ended is believed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const wait = async (): Promise<unknown> =>
    new Promise((resolve) => setTimeout(() => resolve({ StatusCode: 137 }), LATE_MS));
  const reason = new ExitWatch({ wait } as unknown as Docker.Container).reason();
  await vi.advanceTimersByTimeAsync(LATE_MS);
  expect(await reason).toMatchObject({ code: 'SANDBOX_LOST', details: { status: 137 } });
});

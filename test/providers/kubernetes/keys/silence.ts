import { onTestFinished, vi } from 'vitest';
import type { LeaseServer } from './lease-server.ts';

/** After which time without an answer a request is given up. */
const ANSWER_MS = 30_000;
/** How long a host that leaves something waits for the answer. */
const LEAVE_MS = 5000;
const SHORT_MS = 200;

/**
 * From now on, a server answers nothing about Leases until the test ends, no request is given up
 * after some time, and a host that leaves something waits for a moment only.
 */
export function silence(server: LeaseServer): void {
  server.meddle = () => true;
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const testEnd = new AbortController();
  const spy = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) =>
      ms === ANSWER_MS ? testEnd.signal : timeout(ms === LEAVE_MS ? SHORT_MS : ms),
    );
  // So that what else ends with the test does not wait either.
  onTestFinished(() => {
    server.meddle = () => false;
    spy.mockRestore();
    testEnd.abort();
  });
}

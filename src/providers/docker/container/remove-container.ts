import type Docker from 'dockerode';
import { withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-error.ts';

/**
 * How long a removal can take in total. A container that remains then may go on: a persistent one
 * does until its idle time is over, and one that was never started stays. See `LeftContainers`.
 */
const DEADLINE_MS = 2000;

/**
 * Ends a container, whether it runs or not. Returns true when the engine no longer has it, and
 * false if it still has it at the deadline. Never throws.
 * @param deadlineMs - How long the removal can take in total. @default 2000
 */
export async function removeContainer(
  container: Docker.Container,
  deadlineMs: number = DEADLINE_MS,
): Promise<boolean> {
  const attempt = attemptsUntil(performance.now() + deadlineMs);
  const killed = await attempt('kill a container', (abortSignal) =>
    container.kill({ abortSignal }),
  );
  if (killed === 'gone') return true;
  const waitUntilRemoved = async (): Promise<boolean> =>
    'failed' !==
    (await attempt('remove a container', (abortSignal) =>
      container.wait({ condition: 'removed', abortSignal }),
    ));
  // The engine itself removes a container that ran, and would refuse a second removal.
  if (killed === 'done' && (await waitUntilRemoved())) return true;
  const removed = await attempt('remove a container', (abortSignal) =>
    container.remove({ force: true, v: true, abortSignal }),
  );
  return removed !== 'failed' || waitUntilRemoved();
}

type Attempt = 'done' | 'gone' | 'failed';

/** Returns a function that makes calls, all of which together have one deadline. */
function attemptsUntil(
  endMs: number,
): (what: string, call: (signal: AbortSignal) => Promise<unknown>) => Promise<Attempt> {
  return async (what, call) => {
    const remainingMs = endMs - performance.now();
    if (remainingMs <= 0) return 'failed';
    try {
      await withDeadline(what, remainingMs, call);
      return 'done';
    } catch (error) {
      return statusOf(error) === 404 ? 'gone' : 'failed';
    }
  };
}

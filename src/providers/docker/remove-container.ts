import type Docker from 'dockerode';
import { withDeadline } from './deadline.ts';
import { statusOf } from './engine-error.ts';

/**
 * How long a removal may take in all, whatever the engine does. What is not gone by then goes by
 * itself: its input has ended, and the engine removes it when it has.
 */
const PATIENCE_MS = 2000;

/**
 * Ends a container, running or not, and returns when the engine no longer has it or patience is
 * over; whether it is known to be gone. Never throws.
 * @param patienceMs - How long it may take in all. @default 2000
 */
export async function removeContainer(
  container: Docker.Container,
  patienceMs: number = PATIENCE_MS,
): Promise<boolean> {
  const attempt = attemptsUntil(performance.now() + patienceMs);
  const killed = await attempt('kill a container', (abortSignal) =>
    container.kill({ abortSignal }),
  );
  if (killed === 'gone') return true;
  const waitUntilRemoved = async (): Promise<boolean> =>
    'failed' !==
    (await attempt('remove a container', (abortSignal) =>
      container.wait({ condition: 'removed', abortSignal }),
    ));
  // A container that ran is removed by the engine itself, which would refuse a second removal.
  if (killed === 'done' && (await waitUntilRemoved())) return true;
  const removed = await attempt('remove a container', (abortSignal) =>
    container.remove({ force: true, v: true, abortSignal }),
  );
  return removed !== 'failed' || waitUntilRemoved();
}

type Attempt = 'done' | 'gone' | 'failed';

/** Calls of which all together end at one moment. */
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

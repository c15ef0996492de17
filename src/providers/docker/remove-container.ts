import type Docker from 'dockerode';
import { withDeadline } from './deadline.ts';
import { statusOf } from './engine-error.ts';

const STEP_DEADLINE_MS = 5000;

/**
 * Ends a container, running or not, and returns when the engine no longer has it, or has not
 * answered for some seconds. Never throws.
 */
export async function removeContainer(container: Docker.Container): Promise<void> {
  const killed = await attempt('kill a container', (abortSignal) =>
    container.kill({ abortSignal }),
  );
  if (killed === 'gone') return;
  // A container that ran is removed by the engine itself, which would refuse a second removal.
  if (killed === 'done' && (await waitUntilRemoved(container)) !== 'failed') return;
  const removed = await attempt('remove a container', () =>
    container.remove({ force: true, v: true }),
  );
  if (removed === 'failed') await waitUntilRemoved(container);
}

type Attempt = 'done' | 'gone' | 'failed';

function waitUntilRemoved(container: Docker.Container): Promise<Attempt> {
  return attempt('remove a container', (abortSignal) =>
    container.wait({ condition: 'removed', abortSignal }),
  );
}

async function attempt(
  what: string,
  call: (signal: AbortSignal) => Promise<unknown>,
): Promise<Attempt> {
  try {
    await withDeadline(what, STEP_DEADLINE_MS, call);
    return 'done';
  } catch (error) {
    return statusOf(error) === 404 ? 'gone' : 'failed';
  }
}

import { messageOf } from './errors.ts';
import { warn } from './process-warning.ts';

/**
 * Lets work go on that nobody waits for. If it fails, the process gets a warning with the code
 * `PTC_BACKGROUND_FAILED`: a rejection that nobody handles would end the process.
 */
export function inBackground(work: Promise<unknown> | undefined): void {
  work?.catch((error: unknown) => {
    warn(`Work that nobody waits for failed: ${messageOf(error)}`, 'PTC_BACKGROUND_FAILED');
  });
}

/** Does work whose failure must not take the place of what is known already: it becomes a warning, as in `inBackground`. */
export async function untilSettled(work: () => Promise<unknown>): Promise<void> {
  const pending = work();
  inBackground(pending);
  await Promise.allSettled([pending]);
}

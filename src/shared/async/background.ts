import { messageOf } from '../errors.ts';
import { warn } from '../process-warning.ts';

/**
 * Lets work continue that nothing waits for. If it fails, the process gets a warning with the code
 * `PTC_BACKGROUND_FAILED`, because an unhandled rejection would end the process.
 */
export function inBackground(work: Promise<unknown> | undefined): void {
  work?.catch((error: unknown) => {
    warn(`A background task of sandboxed-ptc failed: ${messageOf(error)}`, 'PTC_BACKGROUND_FAILED');
  });
}

/**
 * Waits for work whose failure must not replace an error that is already known. A failure becomes a
 * warning, as with `inBackground`.
 */
export async function untilSettled(work: () => Promise<unknown>): Promise<void> {
  const pending = work();
  inBackground(pending);
  await Promise.allSettled([pending]);
}

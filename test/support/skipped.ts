import type { TestOptions } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test or a `describe` is skipped. `context.skip` has a place for it, the option `skip` has none. */
    skipReason?: string;
  }
}

/**
 * The options of a test or a `describe` that cannot run everywhere. The report counts the skipped tests by reason.
 * @param reason - Why it cannot run here; undefined if it can.
 */
export function skippedFor(reason: string | undefined): TestOptions {
  return reason === undefined ? {} : { skip: true, meta: { skipReason: reason } };
}

/** Why tests that need root are skipped; undefined if the user is root. */
export const NO_ROOT: string | undefined =
  process.getuid?.() === 0 ? undefined : 'the user is not root';

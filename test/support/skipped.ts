import type { TestOptions } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test or a `describe` is skipped. `context.skip` has a place for it, the option `skip` has none. */
    skipReason?: string;
  }
}

/**
 * The options of a test or a `describe` that cannot run everywhere. The report counts the skipped tests by reason.
 * @param reason - Why it cannot run here; undefined if it can. A reason that is never undefined has no type here: what is always
 * skipped shows nothing.
 */
export function skippedFor<Reason extends string | undefined>(
  reason: undefined extends Reason ? Reason : never,
): TestOptions {
  return reason === undefined ? {} : { skip: true, meta: { skipReason: reason } };
}

/** Why tests of what only Linux has are skipped; undefined on Linux. */
export const NO_LINUX: string | undefined =
  process.platform === 'linux' ? undefined : 'the system is not Linux';

/** Why tests of what Windows lacks are skipped; undefined elsewhere. */
export const ON_WINDOWS: string | undefined =
  process.platform === 'win32' ? 'the system is Windows' : undefined;

/** Why tests that need root are skipped; undefined if the user is root. */
export const NO_ROOT: string | undefined =
  process.getuid?.() === 0 ? undefined : 'the user is not root';

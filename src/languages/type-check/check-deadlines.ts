/** How long a program waits for the check of its types, in milliseconds. Then it runs unchecked. */

/** For its own check. */
export const CHECK_DEADLINE_MS = 2000;

/** For the first start of the compiler's process, which goes on for later programs. */
export const START_DEADLINE_MS = 15_000;

/** For the checks of others, which can be slow on purpose. */
export const MAX_WAIT_MS = 1000;

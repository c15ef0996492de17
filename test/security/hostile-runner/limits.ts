import {
  CANCEL_LIMIT_MS,
  CANCEL_PATIENCE_MS,
} from '../../../src/execution/limits/execution-clock.ts';

/** The limits of the host under test: small, so that passing them is cheap. */
export const OUTPUT_LIMIT_BYTES = 2000;
export const BUDGETS = {
  toolCalls: 40,
  concurrentToolCalls: 4,
  receivedBytes: 400_000,
  sentBytes: 100_000,
} as const;
/** Long enough for a busy machine: what dozens of runners say at once must be read before it is over. */
export const RUN_TIMEOUT_MS = 1500;
/** Long enough for the runners of the honest sessions to start on a busy machine. */
export const START_TIMEOUT_MS = 20_000;
/** How much longer than its time limit a run may take: as long as it may take to stop, and the patience of the host. */
export const STOP_WITHIN_MS: number = CANCEL_LIMIT_MS + CANCEL_PATIENCE_MS;
/** The period of `Ledger.ticks`. */
export const TICK_MS = 50;

/** Marks text of another run: it may never be in a result. */
export const STALE = 'STALE-4c1e';
/** Marks what must not enter a sandbox. */
export const SECRET = 'SECRET-9d2f';

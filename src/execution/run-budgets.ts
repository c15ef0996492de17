/**
 * What one run may ask of its host. A run that passes a budget is interrupted as if its time were up,
 * and its result names the budget; one that goes on to twice as much loses its sandbox at once.
 */
export interface RunBudgets {
  /** Tool calls. @default 1000 */
  readonly toolCalls: number;
  /** Tool calls that are worked on at a time; further ones wait their turn. @default 16 */
  readonly concurrentToolCalls: number;
  /** Bytes of frames that come out of the sandbox: arguments, printed text. @default 134217728 (128 MiB) */
  readonly receivedBytes: number;
  /** Bytes of tool results that go into the sandbox. @default 268435456 (256 MiB) */
  readonly sentBytes: number;
}

/** Calls and calls at a time as in the hardening profile; bytes for a few of the largest frames. */
export const DEFAULT_BUDGETS: RunBudgets = {
  toolCalls: 1000,
  concurrentToolCalls: 16,
  receivedBytes: 128 * 1024 * 1024,
  sentBytes: 256 * 1024 * 1024,
};

/** What a run has used of a budget that can run out. */
export type CountedBudget = Exclude<keyof RunBudgets, 'concurrentToolCalls'>;

/** Why a run is stopped by its host. */
export interface StopCause {
  /** The status of its result. */
  readonly status: 'timeout' | 'cancelled' | 'calls' | 'output';
  /** The error's type and message. */
  readonly type: string;
  readonly message: string;
}

export const CANCELLED: StopCause = {
  status: 'cancelled',
  type: 'Cancelled',
  message: 'the program was cancelled',
};

export function timedOut(timeoutMs: number): StopCause {
  return {
    status: 'timeout',
    type: 'Timeout',
    message: `the program ran longer than its limit of ${timeoutMs} ms`,
  };
}

/** Says which budget a run has passed, and what it is. */
export function overBudget(budget: CountedBudget, limit: number): StopCause {
  return { ...EXCESSES[budget], message: `${EXCESSES[budget].message} of ${limit} (${budget})` };
}

const EXCESSES: Readonly<Record<CountedBudget, StopCause>> = {
  toolCalls: {
    status: 'calls',
    type: 'TooManyToolCalls',
    message: 'the program made more tool calls than its limit',
  },
  sentBytes: {
    status: 'calls',
    type: 'TooManyResultBytes',
    message: 'the results of the program’s tool calls took more bytes than its limit',
  },
  receivedBytes: {
    status: 'output',
    type: 'TooManyBytes',
    message: 'the program sent more bytes out of the sandbox than its limit',
  },
};

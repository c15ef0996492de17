import { type CallLimits, DEFAULT_CALL_LIMITS } from '../protocol/frames.ts';

/**
 * What one run may ask of its host. A run that passes a budget is interrupted as if its time were up,
 * and its result names the budget; one that goes on to twice as much loses its sandbox at once. A call that is too
 * large fails in the program, before it is sent.
 */
export interface RunBudgets {
  /** Tool calls. @default 1000 */
  readonly toolCalls: number;
  /** Tool calls that are worked on at a time; further ones wait their turn. @default 16 */
  readonly concurrentToolCalls: number;
  /**
   * Bytes of one tool call, or of the value that a program hands back, as it leaves the sandbox: as JSON, in which each
   * character beyond ASCII takes 6 or 12, and about a hundred bytes more. 1024 to 67108864. Reading it holds the event loop of
   * this process: of the default size for less than 50 ms, of a larger one in proportion. @default 1048576 (1 MiB)
   */
  readonly callBytes: number;
  /**
   * Values in the arguments of one tool call, or in what a program hands back: numbers, texts, lists, objects. Costs as
   * `callBytes` does. @default 20000
   */
  readonly callValues: number;
  /** Bytes of frames that come out of the sandbox: arguments, printed text. @default 134217728 (128 MiB) */
  readonly receivedBytes: number;
  /** Bytes of tool results that go into the sandbox. @default 268435456 (256 MiB) */
  readonly sentBytes: number;
  /**
   * Milliseconds of processor time that the arguments of its calls take to check by the schemas of their tools, in all. One
   * check may take 15 ms, in which the event loop of this process does nothing else. @default 3000
   */
  readonly validationMs: number;
}

/** Calls and calls at a time as in the hardening profile; bytes for a few of the largest frames. */
export const DEFAULT_BUDGETS: RunBudgets = {
  toolCalls: 1000,
  concurrentToolCalls: 16,
  callBytes: DEFAULT_CALL_LIMITS.bytes,
  callValues: DEFAULT_CALL_LIMITS.values,
  receivedBytes: 128 * 1024 * 1024,
  sentBytes: 256 * 1024 * 1024,
  validationMs: 3000,
};

/** Its bounds of one call, for whoever reads frames. */
export function callLimits({ callBytes, callValues }: RunBudgets): CallLimits {
  return { bytes: callBytes, values: callValues };
}

/** What a run has used of a budget that can run out. */
export type CountedBudget = 'toolCalls' | 'receivedBytes' | 'sentBytes' | 'validationMs';

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
  validationMs: {
    status: 'calls',
    type: 'TooMuchValidation',
    message:
      'the arguments of the program’s tool calls took more milliseconds to check than its limit',
  },
  receivedBytes: {
    status: 'output',
    type: 'TooManyBytes',
    message: 'the program sent more bytes out of the sandbox than its limit',
  },
};

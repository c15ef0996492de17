import { type CallLimits, DEFAULT_CALL_LIMITS } from '../../protocol/frames.ts';

/**
 * How much of the host one program may use. A program that exceeds a budget is interrupted, as at
 * its time limit, and its result names the budget. If it reaches twice the budget, its sandbox is
 * ended at once. A call that is too large fails in the program before it is sent.
 */
export interface ExecutionBudgets {
  /** How many tool calls. @default 1000 */
  readonly toolCalls: number;
  /** How many tool calls are handled at a time. Further calls wait. @default 16 */
  readonly concurrentToolCalls: number;
  /**
   * The size of one tool call, or of the program's value, in bytes, as it leaves the sandbox: as
   * JSON, in which each character beyond ASCII takes 6 or 12 bytes, plus about a hundred bytes.
   * From 1024 to 67108864. Parsing it blocks the event loop of this process: less than 50 ms for
   * the default size, and proportionally longer for larger ones.
   * @default 1048576 (1 MiB)
   */
  readonly callBytes: number;
  /**
   * How many values the arguments of one tool call, or the program's value, contain: numbers,
   * texts, lists and objects. Costs time as `callBytes` does.
   * @default 20000
   */
  readonly callValues: number;
  /**
   * The total size of the frames that leave the sandbox, such as arguments and output, in bytes.
   * @default 134217728 (128 MiB)
   */
  readonly receivedBytes: number;
  /**
   * The total size of the tool results that enter the sandbox, in bytes.
   * @default 268435456 (256 MiB)
   */
  readonly sentBytes: number;
  /**
   * The total processor time in milliseconds for validating the arguments of its calls against the
   * schemas of the tools, and the results with `checkResults: 'error'`. One validation of arguments may take 15 ms, during which the event loop of this
   * process does nothing else.
   * @default 3000
   */
  readonly validationMs: number;
}

/**
 * The numbers of calls are those of the hardening profile. The sizes allow a few of the largest
 * frames.
 */
export const DEFAULT_BUDGETS: ExecutionBudgets = {
  toolCalls: 1000,
  concurrentToolCalls: 16,
  callBytes: DEFAULT_CALL_LIMITS.bytes,
  callValues: DEFAULT_CALL_LIMITS.values,
  receivedBytes: 128 * 1024 * 1024,
  sentBytes: 256 * 1024 * 1024,
  validationMs: 3000,
};

/** The limits of one call, for decoding frames. */
export function callLimits({ callBytes, callValues }: ExecutionBudgets): CallLimits {
  return { bytes: callBytes, values: callValues };
}

/** The budgets that count what a program has used. */
export type CountedBudget = 'toolCalls' | 'receivedBytes' | 'sentBytes' | 'validationMs';

/** Why the host stops a program. */
export interface StopCause {
  /** The status of the program's result. */
  readonly status: 'timeout' | 'cancelled' | 'budget-exceeded';
  /** The type of the result's error. */
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

/** The cause that names the budget that a program exceeded, and its limit. */
export function overBudget(budget: CountedBudget, limit: number): StopCause {
  const { type, message } = EXCESSES[budget];
  return { status: 'budget-exceeded', type, message: `${message} of ${limit} (${budget})` };
}

const EXCESSES: Readonly<Record<CountedBudget, Pick<StopCause, 'type' | 'message'>>> = {
  toolCalls: {
    type: 'TooManyToolCalls',
    message: 'the program made more tool calls than its limit',
  },
  sentBytes: {
    type: 'TooManyResultBytes',
    message: 'the results of the program’s tool calls took more bytes than its limit',
  },
  validationMs: {
    type: 'TooMuchValidation',
    message:
      'the arguments and results of the program’s tool calls took more milliseconds to check than its limit',
  },
  receivedBytes: {
    type: 'TooManyBytes',
    message: 'the program sent more bytes out of the sandbox than its limit',
  },
};

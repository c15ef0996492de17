import type { ExecutionResult } from '../execution.ts';
import type { OptionNames, OptionsObject } from '../../shared/options/option-names.ts';

/**
 * A program that was started with `Session.start`. Whoever started it looks at it, answers the calls
 * of its remote tools, and gets its result (docs/held-programs.md).
 */
export interface HeldProgram {
  /**
   * `waiting` if calls of remote tools are open and nothing in the program can go on before one is
   * answered or a timer fires.
   */
  readonly status: 'running' | 'waiting' | 'ended';
  /**
   * Waits until the program waits for answers that `next` has not reported yet, or has ended. It
   * reports the end each time it is called.
   * @throws PtcError `ABORTED` if the signal fires first, and the program goes on; `NEXT_PENDING` if
   * another `next` of this program waits; or what ended the program on the host, as `execute` throws
   * it.
   */
  next(options?: NextOptions): Promise<HeldStep>;
  /**
   * Answers an open call of a remote tool. The first answer counts.
   * @throws PtcError `CALL_NOT_OPEN` if the call has an answer, took too long, was given up by its
   * program or never existed; `VALUE_NOT_JSON` for a result that is not JSON; `OPTION_INVALID`. An
   * open call stays open then.
   */
  answer(callId: string, answer: CallAnswer): void;
  /**
   * What the program has printed so far, or only what it has printed since an earlier look. Each
   * stream is at most as long as the executor's `maxOutputBytes`.
   * @throws PtcError `OPTION_INVALID`
   */
  output(options?: OutputOptions): HeldOutput;
  /**
   * Stops the program, unless it has ended, and waits for its end.
   * @throws PtcError as `next` does.
   */
  cancel(): Promise<ExecutionResult>;
}

/** What `next` waited for. */
export type HeldStep =
  | {
      readonly state: 'waiting';
      /** All open calls of remote tools, in the order in which they were made. At least one. */
      readonly calls: readonly HeldCall[];
    }
  | { readonly state: 'ended'; readonly result: ExecutionResult };

/** A call of a remote tool that waits for its answer. */
export interface HeldCall {
  /** Its id within its program. */
  readonly callId: string;
  readonly toolName: string;
  /**
   * What the tool's schema made of the arguments that were sent, or that an approver changed: with its
   * defaults and transforms, as JSON. A call fails if a transform returns something else. Each access
   * makes a copy, because a program decides how much memory they take.
   */
  readonly arguments: unknown;
  /** When the program gets a timeout instead of an answer. Milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** The answer to a call: the result of the tool as JSON, or why it failed, for the program. */
export type CallAnswer =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly error: string; readonly result?: undefined };

export interface NextOptions {
  /** Ends this wait. The program goes on, and the next `next` reports what this one would have. */
  readonly signal?: AbortSignal | undefined;
}

export interface OutputOptions {
  /** `cursor` of an earlier look: what was printed before is left out. @default all is returned */
  readonly since?: OutputCursor | undefined;
}

/** How much of each stream was seen, in UTF-16 units. */
export interface OutputCursor {
  readonly stdout: number;
  readonly stderr: number;
}

export interface HeldOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Where the next look can begin. It can be saved as JSON. */
  readonly cursor: OutputCursor;
}

const PAGE = 'docs/held-programs.md';

export const NEXT_OPTIONS: OptionsObject<NextOptions> = {
  of: 'next',
  names: { signal: 'signal' },
  page: PAGE,
};

export const OUTPUT_OPTIONS: OptionsObject<OutputOptions> = {
  of: 'output',
  names: { since: 'plain' },
  page: PAGE,
  otherWords: { cursor: 'since' },
};

export const CURSOR_NAMES: OptionNames<OutputCursor> = { stdout: 'number', stderr: 'number' };

export const ANSWER_OPTIONS: OptionsObject<{ readonly result?: unknown; readonly error?: string }> =
  {
    of: 'answer',
    names: { result: true, error: 'text' },
    page: PAGE,
    otherWords: { value: 'result', output: 'result', message: 'error' },
  };

import type { CallEvent } from '../calls/call-event.ts';
import type { ExecutionError, OutputStream } from '../protocol/messages.ts';
import type { JsonValue } from '../shared/json/json.ts';
import type { DeferredCall } from './deferred/deferred-call.ts';
import type { OutputFile } from './files/output-files.ts';
import type { ShownImage } from './shown-images.ts';

export type { ExecutionError };

/** How a program ended. */
export type ExecutionStatus =
  /** The program ended normally. */
  | 'ok'
  /** The program threw an error, or exited with a status other than 0. */
  | 'error'
  /** The program took longer than its time limit. */
  | 'timeout'
  /** The caller's signal fired. */
  | 'cancelled'
  /** The program needed more memory than the sandbox has. */
  | 'memory-limit'
  /**
   * The program exceeded one of its `budgets`. `error.type` says which: `TooManyToolCalls`,
   * `TooManyBytes`, `TooManyResultBytes` or `TooMuchValidation`.
   */
  | 'budget-exceeded'
  /**
   * The sandbox broke the wire protocol. A program cannot cause that without taking the runner
   * over.
   */
  | 'protocol-error'
  /** The interpreter or the sandbox ended before the program did. */
  | 'sandbox-lost';

/**
 * The result of a program. If the program fails, nothing is thrown: `status` and `error` say why.
 */
export interface ExecutionResult {
  readonly status: ExecutionStatus;
  /** True if `status` is `ok`. */
  readonly success: boolean;
  /** What the program printed, and below it the value of its last expression. */
  readonly stdout: string;
  readonly stderr: string;
  /**
   * The value of the program: what it passed to `submit` in the last call, else the value of its
   * last expression if that is JSON, else undefined. In Python, a last expression that is None has
   * no value.
   *
   * A value can be as large as a tool call (`budgets.callBytes` and `budgets.callValues`) and
   * nested 63 levels deep. `submit` throws an error for a value that is not JSON or exceeds these
   * limits. Its objects have no prototype. A program that failed after it called `submit` has a
   * value too, unless its interpreter ended. The program chooses the value: check it before you
   * rely on it.
   */
  readonly value: JsonValue | undefined;
  /** The images that the program showed with `show`, in order: at most 10. */
  readonly images: readonly ShownImage[];
  /** Why other images that it showed are not in `images`, in sentences for the model. */
  readonly imageProblems: readonly string[];
  /**
   * The files that the program left in `$OUTPUT_DIR`, by name: at most 20, with at most 10 MiB
   * together. They are read when the program has ended, and removed from the sandbox. The next
   * program finds the directory empty. None are there if the interpreter ended with the program, or
   * if the sandbox has no `$OUTPUT_DIR`.
   */
  readonly files: readonly OutputFile[];
  /**
   * Why other files are not in `files`, in sentences for the model: only regular files are returned,
   * with names of characters that are displayed. The others stay in the sandbox, in a directory that
   * is named here.
   */
  readonly fileProblems: readonly string[];
  /** Why the program failed, if `status` is not `ok`. */
  readonly error: ExecutionError | undefined;
  /**
   * 0 if the program succeeded, else the status that it exited with, such as with `sys.exit`, or 1.
   */
  readonly exitCode: number;
  /** How many tool calls the program made. */
  readonly toolCalls: number;
  readonly durationMs: number;
  /** Whether part of `stdout` or `stderr` was left out. A line in the text says how much. */
  readonly truncated: boolean;
  /**
   * Where the session has the whole output of a program whose output was too long for the model
   * (docs/long-output.md). Absent otherwise, and in results that no code tool or conversation made.
   */
  readonly fullOutput?: FullOutput;
  /**
   * What the model is told about the calls of the program, such as that they need not be made one
   * after another (docs/tools.md). Absent if there is nothing to say, and in results that no code tool
   * or conversation made.
   */
  readonly hint?: string;
  /**
   * What came of the calls that the program deferred (`whenAsked: 'defer'`), in their order. Absent if
   * it deferred none. The program can be a success although some of them failed or were rejected.
   */
  readonly deferred?: readonly DeferredCall[];
  readonly sessionId: string;
  /** Whether the session can be used again, with its variables. */
  readonly sessionOpen: boolean;
}

/** A file with the whole output of a program: what it printed, then `[stderr]` and its errors. */
export interface FullOutput {
  /** Such as `/tmp/full-output/7.txt`. Programs can change the file, and later output may replace it. */
  readonly path: string;
  /** The size of the file. */
  readonly sizeBytes: number;
}

/** What happens while a program runs, at the moment it happens. */
export type ExecutionEvent =
  | { readonly type: 'output-delta'; readonly stream: OutputStream; readonly text: string }
  /** A program that was started with `Session.start` called `report`, and has printed its text. */
  | { readonly type: 'program-reported' }
  | CallEvent;

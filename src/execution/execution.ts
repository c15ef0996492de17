import type { GuestError, OutputStream } from '../protocol/messages.ts';
import type { JsonValue } from '../shared/json.ts';

/** How a run of generated code ended. */
export type ExecutionStatus =
  /** It ran to its end. */
  | 'ok'
  /** It raised, or exited with a status other than 0. */
  | 'error'
  /** It took longer than its time limit. */
  | 'timeout'
  /** The caller aborted it. */
  | 'cancelled'
  /** It needed more memory than the sandbox has. */
  | 'memory'
  /** It sent more bytes out of the sandbox than its budget. */
  | 'output'
  /** It made more tool calls, or was to get more bytes of results, than its budget. */
  | 'calls'
  /** Its sandbox broke the wire protocol, which no program of an honest runner can. */
  | 'protocol'
  /** Its interpreter or its sandbox ended under it. */
  | 'sandbox-lost';

/** What came of a run. Failures of the code are in here; they are never thrown. */
export interface ExecutionResult {
  readonly status: ExecutionStatus;
  /** True where `status` is `ok`. */
  readonly success: boolean;
  /** What it printed, and below it the value of its last expression. */
  readonly stdout: string;
  readonly stderr: string;
  /**
   * What the program hands back: what it passed to `submit`, the last time that it called it, else the value of its last
   * expression where that is JSON. Undefined where there is neither. In Python a last expression that is None has no value.
   *
   * A value is as large as a tool call may be (`budgets.callBytes` and `budgets.callValues`), and nested 63 levels deep at
   * most: `submit` raises an error of what is not JSON or is beyond that. Its objects have no prototype. It is there for
   * a program that failed after it had called `submit`, unless its interpreter ended too. It is the program's word: check
   * it before you rely on it.
   */
  readonly value: JsonValue | undefined;
  /** What ended it, where `status` is not `ok`. */
  readonly error: ExecutionError | undefined;
  /** 0 where it succeeded, what it passed to `sys.exit`, else 1. */
  readonly exitCode: number;
  /** How many tool calls it made. */
  readonly toolCalls: number;
  readonly durationMs: number;
  /** Whether something was left out of `stdout` or `stderr`; a line in it says how much. */
  readonly truncated: boolean;
  readonly sessionId: string;
  /** Whether the session, and the state in it, can be used again. */
  readonly sessionOpen: boolean;
}

/** The program's own error, or the host's account of why it was ended. */
export type ExecutionError = GuestError;

/** What happens during a run, as it happens. */
export type ExecutionEvent =
  | { readonly type: 'output'; readonly stream: OutputStream; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly callId: string;
      readonly toolName: string;
      readonly arguments: unknown;
    }
  /** The call waits for an approver, or has been decided; a wait that the run's end cuts short has no decision. */
  | {
      readonly type: 'approval';
      readonly callId: string;
      readonly toolName: string;
      readonly decision: 'asked' | 'approved' | 'rejected' | 'expired';
      /** That of the approver's request: who knows it can decide it, as with `ApprovalQueue.approve`. */
      readonly requestId: string;
      /** As the caller sent them, or as the approver edited them. */
      readonly arguments: unknown;
      /** Of the rule that asks, or of the approver that rejects. */
      readonly reason: string | undefined;
      /** From then on the call is rejected. Milliseconds since the epoch. */
      readonly expiresAtMs: number;
    }
  | {
      readonly type: 'tool-result';
      readonly callId: string;
      readonly toolName: string;
      readonly durationMs: number;
      /** The result as JSON text, at most its first 10,000 characters; undefined if the call failed. */
      readonly result: string | undefined;
      /** Size of the result as JSON text, in UTF-16 units: what direct tool calling would have put into the context. */
      readonly resultLength: number;
      /** Set where the call failed. */
      readonly error: { readonly type: string; readonly message: string } | undefined;
    };

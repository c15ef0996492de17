import type { CallingProgram } from '../../calls/call-event.ts';
import type { ExecutionEvent } from '../../execution/execution.ts';
import type {
  InputBlock,
  ModelMessage,
  StopReason,
  TokenUsage,
} from '../../models/language-model.ts';
import type { LanguageName, OutputStream } from '../../protocol/messages.ts';
import type { SessionCloseReason, SessionInfo } from '../../sessions/session/session-info.ts';
import type { PtcErrorCode } from '../../shared/errors.ts';
import type { OutputFile } from '../../execution/files/output-files.ts';
import type { JsonValue } from '../../shared/json/json.ts';
import type { ToolCaller } from '../../tools/tool.ts';
import type { FileInput } from '../files/input-file.ts';
import type { ProgramEnd } from '../code/code-event.ts';

/** The input of a run: a text, or blocks and files in the order in which the model sees them. */
export type RunInput = string | readonly (InputBlock | FileInput)[];

/** The input of a run as the model gets it: what it is told of a file is a text. */
export type ModelInput = string | readonly InputBlock[];

/** An event of a run. Events are in order; the last is `run-ended` or `run-failed`. */
export type RunEvent = RunEventBody & {
  /** The run's id and the event's number in the run, from 1: `7c9e…-1`. Unique among all runs. */
  readonly id: string;
  /** The id of the run. Tools get it as `ToolContext.runId`. */
  readonly runId: string;
  /** When it happened, in milliseconds since the epoch. */
  readonly occurredAtMs: number;
};

export type RunEventBody =
  | { readonly type: 'run-started'; readonly input: ModelInput }
  /** The model is asked. Turns count from 1. */
  | { readonly type: 'turn-started'; readonly turn: number }
  | { readonly type: 'text-delta'; readonly text: string }
  /**
   * The text, thinking and tool input that this turn sent so far are void: the model is asked
   * again.
   */
  | { readonly type: 'answer-discarded'; readonly turn: number }
  /** A model call failed and is made again, after a wait or with another model. */
  | {
      readonly type: 'model-retry-scheduled';
      readonly turn: number;
      /** The id of the model whose call failed. */
      readonly model: string;
      /** The id of the model that is asked next. */
      readonly nextModel: string;
      readonly waitMs: number;
      readonly error: { readonly code: PtcErrorCode; readonly message: string };
    }
  /**
   * The conversation was shortened, because it came close to the model's limit or was refused for
   * its length.
   */
  | {
      readonly type: 'context-compacted';
      readonly turn: number;
      /** About how many tokens the request had. */
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** The summary that replaced old messages; undefined if shortening results was enough. */
      readonly summary: string | undefined;
      /** The usage of the summary. */
      readonly usage: TokenUsage;
    }
  | { readonly type: 'thinking-delta'; readonly text: string }
  /** A part of the JSON text in which the model writes its program or arguments. */
  | {
      readonly type: 'tool-input-delta';
      readonly toolUseId: string;
      /**
       * The name by which the model knows the tool: `execute_code`, or the identifier of a direct
       * tool.
       */
      readonly toolName: string;
      readonly json: string;
    }
  | {
      readonly type: 'turn-ended';
      readonly turn: number;
      readonly stopReason: StopReason;
      readonly usage: TokenUsage;
    }
  /** A sandbox was started or taken over for the conversation's programs. */
  | { readonly type: 'session-opened'; readonly session: SessionInfo }
  /**
   * The conversation's session ended, and its variables are gone, unless it is persistent and the
   * reason is `left`, `handed-over` or `key-lost`. The next program opens or takes over a session.
   */
  | {
      readonly type: 'session-closed';
      readonly sessionId: string;
      readonly reason: SessionCloseReason;
    }
  /** A program starts. */
  | {
      readonly type: 'program-started';
      readonly toolUseId: string;
      readonly language: LanguageName;
      readonly code: string;
    }
  | {
      readonly type: 'output-delta';
      /** The call of `execute_code` whose program printed it. */
      readonly toolUseId: string;
      readonly stream: OutputStream;
      readonly text: string;
    }
  | ({
      readonly type: 'tool-call-started';
      readonly caller: ToolCaller;
      /** The call of `execute_code` whose program calls the tool; for a direct call, its own id. */
      readonly toolUseId: string;
      /** Unique among the calls of its program; for a direct call, the same as `toolUseId`. */
      readonly callId: string;
      readonly toolName: string;
      readonly arguments: unknown;
    } & CallingProgram)
  /** A call waits for an approver. */
  | (Extract<ExecutionEvent, { readonly type: 'approval-requested' }> & {
      readonly caller: ToolCaller;
      readonly toolUseId: string;
    })
  /** The approver has decided, or did not in time. Left out if the run ends first. */
  | (Extract<ExecutionEvent, { readonly type: 'approval-decided' }> & {
      readonly caller: ToolCaller;
      readonly toolUseId: string;
    })
  /** A rule asks about the call, and a grant covers it: no approver was asked. */
  | (Extract<ExecutionEvent, { readonly type: 'approval-granted' }> & {
      readonly caller: ToolCaller;
      readonly toolUseId: string;
    })
  /** A call got its receipt, and waits for the end of its program. */
  | (Extract<ExecutionEvent, { readonly type: 'tool-call-deferred' }> & {
      readonly caller: ToolCaller;
      readonly toolUseId: string;
    })
  /** A tool reports how far a call is. */
  | (Extract<ExecutionEvent, { readonly type: 'tool-call-progressed' }> & {
      readonly caller: ToolCaller;
      readonly toolUseId: string;
    })
  | ({
      readonly type: 'tool-call-ended';
      readonly caller: ToolCaller;
      readonly toolUseId: string;
      readonly callId: string;
      readonly toolName: string;
      readonly durationMs: number;
      /**
       * The result as JSON text, at most its first 10,000 characters; undefined if the call failed.
       */
      readonly result: string | undefined;
      /** Length of the whole result, or of the error message, in UTF-16 units. */
      readonly resultCharacters: number;
      readonly error: { readonly type: string; readonly message: string } | undefined;
    } & CallingProgram)
  /** A program called `report`, and the model gets what it printed so far (`yieldAfterMs`). */
  | { readonly type: 'program-reported'; readonly toolUseId: string }
  /**
   * A program still runs after `yieldAfterMs`. The model gets what it printed so far, and goes on with
   * it by its id.
   */
  | {
      readonly type: 'program-yielded';
      readonly toolUseId: string;
      readonly program: string;
      /** How long it has run. */
      readonly durationMs: number;
    }
  /** A program ended. Each `program-started` is followed by one. */
  | ({ readonly type: 'program-ended'; readonly toolUseId: string } & ProgramEnd)
  | { readonly type: 'run-ended'; readonly result: RunResult }
  /** The run threw an error with this code and message. */
  | {
      readonly type: 'run-failed';
      readonly error: { readonly code: PtcErrorCode; readonly message: string };
    };

/**
 * Gets the events of a run. If it returns a promise, further tool calls and turns wait until it
 * settles, so that a program cannot make more events than are taken. The time limits go on.
 */
export type RunListener = (event: RunEvent) => unknown;

/**
 * The model's complete answer and what the run used.
 * @typeParam Output - The type of the value that the schema of the option `output` returns.
 */
export interface RunResult<Output = unknown> {
  /** The text of the last turn. If its service paused, this includes the text before the pause. */
  readonly text: string;
  /** What ended the run: the model's answer, or `stopWhen`. */
  readonly endedBy: 'answer' | 'stop-when';
  /**
   * The answer as the value that the schema of the option `output` returns. Undefined if the run
   * has no such option, or if `stopWhen` ended it before the model answered (`endedBy`).
   */
  readonly output: Output | undefined;
  /**
   * `ExecutionResult.value` of the last program that returned one, by `submit` or as its last
   * expression. Undefined if none did.
   */
  readonly value: JsonValue | undefined;
  /**
   * `ExecutionResult.files` of all programs of the run, at most 50 MiB. If several left a file of the
   * same name, it is that of the last one.
   */
  readonly files: readonly OutputFile[];
  /** `ExecutionResult.fileProblems` of all programs, and which files exceed the 50 MiB. */
  readonly fileProblems: readonly string[];
  /** The number of turns. */
  readonly turns: number;
  /** The number of tool calls, from code and direct. */
  readonly toolCalls: number;
  /** The usage that the model's service reported, over all turns. */
  readonly usage: TokenUsage;
  readonly savings: TokenSavings;
  readonly durationMs: number;
  /** The conversation up to and including this answer. */
  readonly messages: readonly ModelMessage[];
}

/**
 * The context tokens that calling tools from code saved. Both figures are estimates by the same
 * rule (four characters per token). Each text counts once, although the model would read direct
 * results again in every later turn.
 */
export interface TokenSavings {
  /** The tokens of the model's programs and of their results. */
  readonly contextTokens: number;
  /**
   * The tokens of the same calls made directly: arguments and full result of each call whose tool
   * ran.
   */
  readonly directTokens: number;
}

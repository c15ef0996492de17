import type { ExecutionEvent } from '../execution/execution.ts';
import type { InputBlock, ModelMessage, StopReason, TokenUsage } from '../models/language-model.ts';
import type { LanguageName, OutputStream } from '../protocol/messages.ts';
import type { SessionCloseReason, SessionInfo } from '../sessions/session-info.ts';
import type { PtcErrorCode } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json.ts';
import type { ToolCaller } from '../tools/tool.ts';
import type { CodeEnd } from './code-tool.ts';

/** What a run is given: a text, or blocks in the order in which the model is to see them. */
export type RunInput = string | readonly InputBlock[];

/** What happens while the model works on a request, in order. The last event is `run-end` or `run-error`. */
export type RunEvent = RunEventBody & {
  /** The run's id and the number of the event in it, from 1: `7c9e…-1`. No other event of any run has it. */
  readonly id: string;
  /** The run that it belongs to: what its tools get as `ToolContext.runId`. */
  readonly runId: string;
  /** When it happened, in milliseconds since the epoch. */
  readonly timeMs: number;
};

export type RunEventBody =
  | { readonly type: 'run-start'; readonly input: RunInput }
  /** The model is asked; turns count from 1. */
  | { readonly type: 'turn-start'; readonly turn: number }
  | { readonly type: 'text-delta'; readonly text: string }
  /** The text, thinking and tool input that were told of this turn until here are void: the model is asked again. */
  | { readonly type: 'answer-discarded'; readonly turn: number }
  /** A model call failed, and is made again: after a wait, or to another model. */
  | {
      readonly type: 'model-retry';
      readonly turn: number;
      /** The id of the model whose call failed. */
      readonly model: string;
      /** The id of the model that is asked next. */
      readonly nextModel: string;
      readonly waitMs: number;
      readonly error: { readonly code: PtcErrorCode; readonly message: string };
    }
  /** The conversation came near what the model can read, or was refused for its length, and is shorter now. */
  | {
      readonly type: 'context-compacted';
      readonly turn: number;
      /** About how many tokens the request would have had. */
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** What took the place of old messages; undefined if it was enough to shorten results. */
      readonly summary: string | undefined;
      /** What the summary took. */
      readonly usage: TokenUsage;
    }
  | { readonly type: 'thinking-delta'; readonly text: string }
  /** A piece of the JSON in which the model writes its code or arguments. */
  | {
      readonly type: 'tool-input-delta';
      readonly toolUseId: string;
      /** As the model knows it: `execute_code`, or the identifier of a direct tool. */
      readonly toolName: string;
      readonly json: string;
    }
  | {
      readonly type: 'turn-end';
      readonly turn: number;
      readonly stopReason: StopReason;
      readonly usage: TokenUsage;
    }
  /** A sandbox was started or taken over for the conversation's code. */
  | { readonly type: 'session-opened'; readonly session: SessionInfo }
  /** The conversation's session ended, and its variables with it. The next program opens a new one. */
  | {
      readonly type: 'session-closed';
      readonly sessionId: string;
      readonly reason: SessionCloseReason;
    }
  /** Generated code starts. */
  | {
      readonly type: 'code-start';
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
  | {
      readonly type: 'tool-call';
      readonly caller: ToolCaller;
      /** The call of `execute_code` whose program calls the tool; of a direct call, its own id. */
      readonly toolUseId: string;
      /** Tells the call from the others of its program; of a direct call, the same as `toolUseId`. */
      readonly callId: string;
      readonly toolName: string;
      readonly arguments: unknown;
    }
  /** A call waits for an approver, or has been decided; a wait that the run's end cuts short has no decision. */
  | (Extract<ExecutionEvent, { readonly type: 'approval' }> & {
      readonly caller: ToolCaller;
      readonly toolUseId: string;
    })
  | {
      readonly type: 'tool-result';
      readonly caller: ToolCaller;
      readonly toolUseId: string;
      readonly callId: string;
      readonly toolName: string;
      readonly durationMs: number;
      /** The result as JSON text, at most its first 10,000 characters; undefined if the call failed. */
      readonly result: string | undefined;
      /** Size of the whole result, or of the failure's message, in UTF-16 units. */
      readonly resultLength: number;
      readonly error: { readonly type: string; readonly message: string } | undefined;
    }
  /** It ended; each `code-start` has one. */
  | ({ readonly type: 'code-end'; readonly toolUseId: string } & CodeEnd)
  | { readonly type: 'run-end'; readonly result: RunResult }
  /** The run threw an error with this code and message. */
  | {
      readonly type: 'run-error';
      readonly error: { readonly code: PtcErrorCode; readonly message: string };
    };

export type RunListener = (event: RunEvent) => void;

/**
 * The model's complete answer and what it took.
 * @typeParam Output - What the schema of the option `output` makes of the answer.
 */
export interface RunResult<Output = unknown> {
  /** The text of the last turn, with what came of it before its service paused. */
  readonly text: string;
  /** What ended the run: the model's answer, or `stopWhen`. */
  readonly endedBy: 'answer' | 'stop-when';
  /**
   * The answer as a value, if the run was asked for one by the option `output`; else undefined. If it was asked for one and
   * `stopWhen` ended it before the model answered, there is none: the property is not among the keys of the result, and to
   * read it throws a `PtcError` `OUTPUT_MISSING`.
   */
  readonly output: Output;
  /**
   * `ExecutionResult.value` of the last program that handed one back, by `submit` or as its last expression. Undefined if
   * none did.
   */
  readonly value: JsonValue | undefined;
  /** How often the model was asked. */
  readonly turns: number;
  /** Tool calls from code and direct ones. */
  readonly toolCalls: number;
  /** What the model's service counted, over all turns. */
  readonly usage: TokenUsage;
  readonly savings: TokenSavings;
  readonly durationMs: number;
  /** The conversation up to and with this answer. */
  readonly messages: readonly ModelMessage[];
}

/**
 * What calling tools from code kept out of the context. Both figures are estimates by the same
 * rule (four characters a token), and count each text once, though direct results would be read
 * again in every later turn.
 */
export interface TokenSavings {
  /** The code that the model wrote and what it got back. */
  readonly contextTokens: number;
  /** The same calls made directly: the arguments and the whole result of each call whose tool ran. */
  readonly directTokens: number;
}

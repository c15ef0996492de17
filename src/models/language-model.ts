import type { JsonObject } from '../shared/json.ts';

/** A model behind some service. An adapter translates these types to one service's own. */
export interface LanguageModel {
  /** Such as `claude-opus-5` or a Bedrock model id. */
  readonly id: string;
  /**
   * How many tokens it can read and write in one request. A conversation that comes near it is made shorter.
   * @default not known: a conversation is made shorter if the service refuses it for its length
   */
  readonly contextWindowTokens?: number;
  /**
   * Looks at a request without sending anything. A conversation calls it before it keeps what it was given; a model
   * that wraps another one should pass it on. Absent if the service can take every request.
   * @throws PtcError `MODEL_INPUT_UNSUPPORTED`, or `OPTION_INVALID` for a setting that the service does not have.
   */
  check?(request: ModelRequest): void;
  /**
   * Asks for one answer and streams its parts; the last is always `end`.
   * @throws PtcError `MODEL_AUTHENTICATION_FAILED`, `MODEL_OVERLOADED`, `MODEL_REQUEST_FAILED`,
   * `MODEL_CONTEXT_EXCEEDED`, `MODEL_STREAM_CUT` or `ABORTED`, and what `check` throws. `MODEL_OVERLOADED` and
   * `MODEL_STREAM_CUT` are asked again, after `details.retryAfterMs` if it is there, unless `details.retriedByClient` is true.
   */
  stream(request: ModelRequest): AsyncIterable<ModelStreamPart>;
}

/** What is set for an answer. A value that a model does not take is refused by its service. */
export interface AnswerSettings {
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
  /** How much chance there is in the answer: at least 0, at most 1 or 2, as the service has it. @default the model's own */
  readonly temperature?: number;
  /** The model chooses from the likeliest tokens that have this probability together: 0 to 1. @default the model's own */
  readonly topP?: number;
  /** Texts at which the answer ends; they are not part of it. @default none */
  readonly stopSequences?: readonly string[];
  /** Whether the model calls a tool. @default 'auto', or what the adapter's `extra` has */
  readonly toolChoice?: ToolChoice;
}

/**
 * Whether the model calls a tool:
 * - `auto`: if it wants to.
 * - `any`: it must, whichever it wants.
 * - `none`: it must not.
 * - `{ tool }`: it must call the one of this name.
 */
export type ToolChoice = 'auto' | 'any' | 'none' | { readonly tool: string };

export interface ModelRequest extends AnswerSettings {
  /** The same text every turn, so that the service can cache it. */
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly signal?: AbortSignal;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly inputExamples?: readonly JsonObject[];
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | {
      readonly role: 'assistant';
      readonly content: readonly AssistantBlock[];
      /**
       * The id of the model that wrote it. Thinking and opaque blocks are not sent to a model of another id.
       * @default not known: all of it is sent to every model
       */
      readonly model?: string;
    };

export type UserBlock = InputBlock | ToolResultBlock;

/** What a user can say to a model. */
export type InputBlock = TextBlock | ImageBlock | DocumentBlock;

export type AssistantBlock = TextBlock | ThinkingBlock | ToolUseBlock | OpaqueBlock;

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** An image: its bytes, or where the model's service finds it. */
export type ImageBlock =
  | {
      readonly type: 'image';
      readonly mediaType: ImageMediaType;
      /** The bytes in base64, without line breaks and without the `data:` of an address. At most 50 MB of bytes. */
      readonly data: string;
    }
  | {
      readonly type: 'image';
      /** Of what is at the address, for services that ask for it. @default what the service finds there */
      readonly mediaType?: ImageMediaType;
      /** An address of http or https. The model's service fetches it, never this process. */
      readonly url: string;
    };

/** A document: the bytes of a PDF, where the model's service finds one, or a plain text. */
export type DocumentBlock = {
  readonly type: 'document';
  /** What the model is told that it is called, such as `Report of May`; at most 200 characters. @default no title */
  readonly title?: string;
} & (
  | {
      readonly mediaType: 'application/pdf';
      /** The bytes in base64, without line breaks and without the `data:` of an address. At most 50 MB of bytes. */
      readonly data: string;
    }
  | {
      readonly mediaType: 'application/pdf';
      /** An address of http or https. The model's service fetches it, never this process. */
      readonly url: string;
    }
  | { readonly mediaType: 'text/plain'; readonly text: string }
);

/** The model's thinking. It must go back to the service just as it came, signature included. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
  /** Encrypted thinking, where the service withheld the text. */
  readonly redactedData?: string;
}

export interface ToolUseBlock {
  readonly type: 'tool-use';
  readonly id: string;
  readonly name: string;
  /** The arguments, or undefined where what the model wrote is no JSON object. */
  readonly input: JsonObject | undefined;
}

/** A part of the answer that only its service understands. It must go back to the service just as it came. */
export interface OpaqueBlock {
  readonly type: 'opaque';
  readonly value: JsonObject;
}

export interface ToolResultBlock {
  readonly type: 'tool-result';
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
}

export type StopReason =
  | 'end'
  | 'tool-use'
  | 'max-tokens'
  /** The conversation and the answer together fill all that the model can read: asking again cannot help. */
  | 'context-window-exceeded'
  /** The service paused a long turn: send the answer back as it is and go on. */
  | 'pause'
  | 'refusal'
  /** One this version does not know; `ModelStreamEnd.rawStopReason` has it. */
  | 'unknown';

export interface TokenUsage {
  /** Tokens that were read, cached ones included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Those of `inputTokens` that came from the service's cache. */
  readonly cachedInputTokens: number;
  /** Those of `inputTokens` that the service wrote to its cache. Absent if it does not say. */
  readonly cacheWriteInputTokens?: number;
  /**
   * The tokens written to the cache by how long it keeps them, in the service's words, such as
   * `{ '5m': 1200 }`. Absent if it does not say.
   */
  readonly cacheWritesByTtl?: Readonly<Record<string, number>>;
  /**
   * How many answers each service tier gave, in the service's words, such as `{ priority: 1 }`. It may be another tier than
   * was asked for, with other prices. Absent if the service does not say.
   */
  readonly answersByServiceTier?: Readonly<Record<string, number>>;
}

export interface ModelStreamEnd {
  readonly type: 'end';
  /** The whole answer, in order. */
  readonly content: readonly AssistantBlock[];
  readonly stopReason: StopReason;
  /** The stop reason in the service's own word. */
  readonly rawStopReason: string;
  /** What the service says of the stop, such as `{ type: 'refusal', category: 'cyber', explanation: '…' }`. */
  readonly stopDetails?: JsonObject;
  readonly usage: TokenUsage;
}

export type ModelStreamPart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  /** A tool call has begun; its input follows in pieces of JSON text. */
  | { readonly type: 'tool-use-start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-input-delta'; readonly id: string; readonly json: string }
  | ModelStreamEnd;

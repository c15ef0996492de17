import type { JsonObject } from '../shared/json/json.ts';

/** A model of a service. An adapter translates between these types and those of the service. */
export interface LanguageModel {
  /** The model's id, such as `claude-opus-5` or a Bedrock model id. */
  readonly id: string;
  /**
   * How many tokens the model can read and write in one request. A conversation is shortened before
   * it reaches this number.
   * @default not known: a conversation is shortened if the service refuses it because of its length
   */
  readonly contextWindowTokens?: number;
  /**
   * Checks a request without sending it. A conversation calls this before it keeps the input. A
   * model that wraps another one should forward the call. Absent if the service accepts every
   * request.
   * @throws PtcError `MODEL_INPUT_UNSUPPORTED`, or `OPTION_INVALID` for a setting that the service
   *   does not have.
   */
  check?(request: ModelRequest): void;
  /**
   * Requests one answer and streams its parts. The last part is always `answer-ended`.
   * @throws PtcError `MODEL_AUTHENTICATION_FAILED`, `MODEL_OVERLOADED`, `MODEL_REQUEST_FAILED`,
   *   `MODEL_CONTEXT_EXCEEDED`, `MODEL_STREAM_CUT`, `MODEL_ANSWER_INVALID` for an answer that is too
   *   large, or `ABORTED`, and the errors of `check`. Runs retry after `MODEL_OVERLOADED` and
   *   `MODEL_STREAM_CUT`, and wait `details.retryAfterMs` if it is set, unless
   *   `details.retriedByClient` is true.
   */
  stream(request: ModelRequest): AsyncIterable<ModelStreamPart>;
}

/** Settings of an answer. Services refuse values that a model does not accept. */
export interface AnswerSettings {
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
  /**
   * The sampling temperature: at least 0, at most 1 or 2, depending on the service. @default the
   * model's
   */
  readonly temperature?: number;
  /**
   * The model samples from the most likely tokens whose probabilities add up to this: 0 to 1.
   * @default the model's
   */
  readonly topP?: number;
  /** Texts at which the answer ends. They are not part of it. @default none */
  readonly stopSequences?: readonly string[];
  /** Whether the model calls a tool. @default 'auto', or the value in the adapter's `extra` */
  readonly toolChoice?: ToolChoice;
}

/**
 * Whether the model calls a tool:
 * - `auto`: the model decides.
 * - `any`: it must call one or more tools.
 * - `none`: it must not call a tool.
 * - `{ tool }`: it must call the tool with this name.
 */
export type ToolChoice = 'auto' | 'any' | 'none' | { readonly tool: string };

export interface ModelRequest extends AnswerSettings {
  /** The system prompt. It should be the same in every turn, so that the service can cache it. */
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
  /** Whether the service must make the arguments match the schema. @default the service decides */
  readonly strict?: boolean;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | {
      readonly role: 'assistant';
      readonly content: readonly AssistantBlock[];
      /**
       * The id of the model that wrote the message. Thinking and opaque blocks are not sent to a
       * model with another id.
       * @default not known: all blocks are sent to every model
       */
      readonly model?: string;
    };

export type UserBlock = InputBlock | ToolResultBlock;

/** A block of a user's input. */
export type InputBlock = TextBlock | ImageBlock | DocumentBlock;

export type AssistantBlock = TextBlock | ThinkingBlock | ToolUseBlock | OpaqueBlock;

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** An image as data. */
export interface ImageDataBlock {
  readonly type: 'image';
  readonly mediaType: ImageMediaType;
  /**
   * The bytes in base64 without line breaks, and without the start of a `data:` URL. At most 50 MB
   * when decoded.
   */
  readonly data: string;
}

/** An image, as data or as a URL. */
export type ImageBlock =
  | ImageDataBlock
  | {
      readonly type: 'image';
      /**
       * The media type of the image at the URL, for services that need it. @default the service
       * detects it
       */
      readonly mediaType?: ImageMediaType;
      /** A URL with http or https. The model's service fetches it, never this process. */
      readonly url: string;
    };

/** A document: a PDF as data or as a URL, or plain text. */
export type DocumentBlock = {
  readonly type: 'document';
  /**
   * The title that the model sees, such as `Report of May`; at most 200 characters. @default no
   * title
   */
  readonly title?: string;
} & (
  | {
      readonly mediaType: 'application/pdf';
      /**
       * The bytes in base64 without line breaks, and without the start of a `data:` URL. At most 50
       * MB when decoded.
       */
      readonly data: string;
    }
  | {
      readonly mediaType: 'application/pdf';
      /** A URL with http or https. The model's service fetches it, never this process. */
      readonly url: string;
    }
  | { readonly mediaType: 'text/plain'; readonly text: string }
);

/** The model's thinking. It must be returned to the service unchanged, including the signature. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
  /** Encrypted thinking, if the service withheld the text. */
  readonly redactedData?: string;
}

export interface ToolUseBlock {
  readonly type: 'tool-use';
  readonly id: string;
  readonly name: string;
  /** The arguments; undefined if the model did not write a JSON object. */
  readonly input: JsonObject | undefined;
}

/** A part of the answer that only its service understands. It must be returned unchanged. */
export interface OpaqueBlock {
  readonly type: 'opaque';
  readonly value: JsonObject;
}

export interface ToolResultBlock {
  readonly type: 'tool-result';
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
  /** Images that belong to the text. @default none */
  readonly images?: readonly ImageDataBlock[];
}

export type StopReason =
  | 'end'
  | 'tool-use'
  | 'max-tokens'
  /** The conversation and the answer together fill the context window. A retry cannot help. */
  | 'context-window-exceeded'
  /** The service paused a long turn. Send the answer back unchanged to continue. */
  | 'pause'
  | 'refusal'
  /** A stop reason that this version does not know; see `ModelStreamEnd.rawStopReason`. */
  | 'unknown';

export interface TokenUsage {
  /** Tokens that were read, including cached ones. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that came from the service's cache. */
  readonly cachedInputTokens: number;
  /**
   * The part of `inputTokens` that the service wrote to its cache. Absent if it is not reported.
   */
  readonly cacheWriteInputTokens?: number;
  /**
   * The tokens written to the cache by their time to live, with the service's names, such as `{
   * '5m': 1200 }`. Absent if it is not reported.
   */
  readonly cacheWritesByTtl?: Readonly<Record<string, number>>;
  /**
   * The number of answers by service tier, with the service's names, such as `{ priority: 1 }`. The
   * tier may differ from the requested one, and so may its prices. Absent if it is not reported.
   */
  readonly answersByServiceTier?: Readonly<Record<string, number>>;
}

export interface ModelStreamEnd {
  readonly type: 'answer-ended';
  /** The whole answer, in order. */
  readonly content: readonly AssistantBlock[];
  readonly stopReason: StopReason;
  /** The stop reason with the service's own name. */
  readonly rawStopReason: string;
  /**
   * The service's details about the stop, such as `{ type: 'refusal', category: 'cyber',
   * explanation: '…' }`.
   */
  readonly stopDetails?: JsonObject;
  readonly usage: TokenUsage;
}

export type ModelStreamPart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  /** A tool call has begun. Its input follows in parts of JSON text. */
  | { readonly type: 'tool-use-started'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-input-delta'; readonly id: string; readonly json: string }
  | ModelStreamEnd;

/**
 * What is used of a client of the OpenAI SDK, from version 6.0.0 on; its client for Azure has it too. A shape
 * and not the SDK's class, whose private members make each version a type of its own.
 */
export interface OpenAIClient {
  readonly baseURL: string;
  readonly chat: {
    readonly completions: {
      create(body: ChatRequest, options?: ChatOptions): Promise<AsyncIterable<AnswerChunk>>;
    };
  };
}

/** The body of a Chat Completions request, in the service's own names. `extra` may add other fields. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: true;
  readonly stream_options?: unknown;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: unknown;
  readonly max_completion_tokens?: number | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly tool_choice?: unknown;
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly stop?: unknown;
  readonly reasoning_effort?: unknown;
  readonly service_tier?: unknown;
}

export interface ChatOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxRetries?: number;
}

/** What is read of a chunk. Any field may be missing: services differ in what they send. */
export interface AnswerChunk {
  readonly choices?: readonly AnswerChoice[] | null | undefined;
  readonly usage?: AnswerUsage | null | undefined;
  readonly service_tier?: string | null | undefined;
}

interface AnswerChoice {
  readonly delta?: AnswerDelta | null | undefined;
  readonly finish_reason?: string | null | undefined;
}

interface AnswerDelta {
  readonly content?: unknown;
  readonly refusal?: string | null | undefined;
  /** Thinking, which OpenAI itself does not show; other services use one name or the other. */
  readonly reasoning_content?: string | null | undefined;
  readonly reasoning?: string | null | undefined;
  readonly tool_calls?: readonly ToolCallDelta[] | null | undefined;
}

export interface ToolCallDelta {
  readonly index?: number | null | undefined;
  readonly id?: string | null | undefined;
  readonly function?:
    | { readonly name?: string | null | undefined; readonly arguments?: string | null | undefined }
    | null
    | undefined;
}

export interface AnswerUsage {
  readonly prompt_tokens?: number | null | undefined;
  readonly completion_tokens?: number | null | undefined;
  readonly prompt_tokens_details?:
    | {
        readonly cached_tokens?: number | null | undefined;
        readonly cache_write_tokens?: number | null | undefined;
      }
    | null
    | undefined;
}

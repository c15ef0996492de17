/**
 * The part of the OpenAI SDK's client that is used, from version 6.0.0 on. Its client for Azure has
 * it too. This is an interface because the private members of the SDK's class make the classes of
 * different versions incompatible.
 */
export interface OpenAIClient {
  readonly baseURL: string;
  readonly chat: {
    readonly completions: {
      create(body: ChatRequest, options?: ChatOptions): Promise<AsyncIterable<AnswerChunk>>;
    };
  };
}

/**
 * The body of a Chat Completions request, with the service's own names. `extra` may add other
 * fields.
 */
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

/** The fields of a chunk that are used. Any of them may be missing, because services differ. */
export interface AnswerChunk {
  readonly choices?: readonly AnswerChoice[] | null | undefined;
  readonly usage?: AnswerUsage | null | undefined;
  readonly service_tier?: string | null | undefined;
}

export interface AnswerChoice {
  readonly delta?: AnswerDelta | null | undefined;
  readonly finish_reason?: string | null | undefined;
}

export interface AnswerDelta {
  readonly content?: unknown;
  readonly refusal?: string | null | undefined;
  /** Thinking, which OpenAI itself does not return. Other services use one of these two names. */
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

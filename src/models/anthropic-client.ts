/**
 * What is used of a client of the Anthropic SDK, from version 0.71.0 on; its clients for other clouds have it
 * too. A shape and not the SDK's class, whose private members make each version a type of its own.
 */
export interface AnthropicClient {
  readonly messages: {
    create(body: MessagesRequest, options?: MessagesOptions): Promise<AsyncIterable<MessagesEvent>>;
  };
}

/** The body of a Messages API request, in the service's own names. `extra` may add other fields. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly temperature?: unknown;
  readonly top_p?: unknown;
  readonly stop_sequences?: unknown;
  readonly thinking?: unknown;
  readonly output_config?: unknown;
  readonly service_tier?: unknown;
}

export interface MessagesOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxRetries?: number;
}

/** What is read of a streamed event. Which of the fields it has depends on its type. */
export interface MessagesEvent {
  readonly type: string;
  readonly index?: number | undefined;
  readonly message?: { readonly usage?: MessagesUsage | null | undefined } | undefined;
  readonly content_block?: MessagesBlock | undefined;
  readonly delta?: MessagesDelta | undefined;
  readonly usage?: MessagesUsage | null | undefined;
}

/** A content block as its start event has it. Which of the fields it has depends on its type. */
export interface MessagesBlock {
  readonly type: string;
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly signature?: string | undefined;
  readonly data?: string | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly input?: unknown;
}

/** What is added to a content block, or in an event of type `message_delta` to the message. */
export interface MessagesDelta {
  readonly type?: string | undefined;
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly signature?: string | undefined;
  readonly partial_json?: string | undefined;
  readonly stop_reason?: string | null | undefined;
  readonly stop_details?: object | null | undefined;
}

/** Counts of tokens, all of them cumulative, and the service tier. */
export interface MessagesUsage {
  readonly input_tokens?: number | null | undefined;
  readonly output_tokens?: number | null | undefined;
  readonly cache_creation_input_tokens?: number | null | undefined;
  readonly cache_read_input_tokens?: number | null | undefined;
  readonly service_tier?: string | null | undefined;
  readonly cache_creation?:
    | {
        readonly ephemeral_5m_input_tokens?: number | undefined;
        readonly ephemeral_1h_input_tokens?: number | undefined;
      }
    | null
    | undefined;
}

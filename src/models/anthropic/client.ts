/**
 * The part of the Anthropic SDK's client that is used, from version 0.71.0 on. Its clients for
 * other clouds have it too. This is an interface because the private members of the SDK's class
 * make the classes of different versions incompatible.
 */
export interface AnthropicClient {
  readonly messages: {
    create(body: MessagesRequest, options?: MessagesOptions): Promise<AsyncIterable<MessagesEvent>>;
  };
}

/**
 * The body of a Messages API request, with the service's own names. `extra` may add other fields.
 */
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

/** The used fields of a streamed event. Which of them exist depends on its type. */
export interface MessagesEvent {
  readonly type: string;
  readonly index?: number | undefined;
  readonly message?: { readonly usage?: MessagesUsage | null | undefined } | undefined;
  readonly content_block?: MessagesBlock | undefined;
  readonly delta?: MessagesDelta | undefined;
  readonly usage?: MessagesUsage | null | undefined;
}

/** A content block in its start event. Which fields exist depends on its type. */
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

/** The change to a content block, or in an event of type `message_delta` to the message. */
export interface MessagesDelta {
  readonly type?: string | undefined;
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly signature?: string | undefined;
  readonly partial_json?: string | undefined;
  readonly stop_reason?: string | null | undefined;
  readonly stop_details?: object | null | undefined;
}

/** Cumulative token counts, and the service tier. */
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

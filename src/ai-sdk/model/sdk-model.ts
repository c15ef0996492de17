/** What is used of a model of the AI SDK: `LanguageModelV3` of version 6, `LanguageModelV4` of version 7. */
export interface AiSdkModel {
  /** `v3` or `v4`. */
  readonly specificationVersion: string;
  /** Such as `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  /** The URLs that the service fetches itself, by media type. */
  readonly supportedUrls: SupportedUrls | PromiseLike<SupportedUrls>;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

export type SupportedUrls = Readonly<Record<string, readonly RegExp[]>>;

/** What a provider understands of its own, by the name of the provider. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Part {
  readonly type: string;
  readonly providerOptions?: ProviderOptions;
  readonly [field: string]: unknown;
}

/** A message as both versions take it, except for files, which differ. */
export interface SdkMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly Part[];
  readonly providerOptions?: ProviderOptions;
}

export type SdkPart = Part;

/** The options of `doStream`, as both versions take them. */
export interface SdkRequest {
  readonly prompt: readonly SdkMessage[];
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stopSequences?: readonly string[];
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
}

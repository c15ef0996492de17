/**
 * The part of the AWS client that is used, from version 3.968.0 on. This is an interface because
 * the private members of the client's class make the classes of different versions incompatible.
 * Results of commands are read as `ConverseAnswer`.
 */
export interface BedrockClient {
  send(command: object, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** JSON as the client's types define it. */
export type ConverseDocument =
  | null
  | boolean
  | number
  | string
  | ConverseDocument[]
  | { [key: string]: ConverseDocument };

/** The tier that processes requests. Tiers differ in price and speed. */
export type ServiceTier = 'default' | 'flex' | 'priority' | 'reserved';

/** The input of Converse and ConverseStream. */
export interface ConverseInput {
  modelId: string;
  messages: ConverseMessage[];
  system?: (ConverseText | CachePoint)[];
  inferenceConfig: { maxTokens: number; [setting: string]: ConverseDocument };
  toolConfig?: { tools: (ConverseTool | CachePoint)[]; toolChoice?: ConverseToolChoice };
  additionalModelRequestFields?: ConverseDocument;
  serviceTier?: { type: ServiceTier };
}

export type ConverseToolChoice =
  | { auto: Record<string, never> }
  | { any: Record<string, never> }
  | { tool: { name: string } };

export interface ConverseMessage {
  role: 'user' | 'assistant';
  content: ConverseBlock[];
}

export type ConverseBlock =
  | ConverseText
  | CachePoint
  | { image: { format: ConverseImageFormat; source: { bytes: Uint8Array } } }
  | { document: { format: 'pdf' | 'txt'; name: string; source: { bytes: Uint8Array } } }
  | { reasoningContent: ConverseReasoning }
  | { toolUse: { toolUseId: string; name: string; input: ConverseDocument } }
  | { toolResult: { toolUseId: string; content: ConverseText[]; status?: 'error' } };

export type ConverseImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';

export type ConverseReasoning =
  | { redactedContent: Uint8Array }
  | { reasoningText: { text: string; signature?: string } };

export interface ConverseTool {
  toolSpec: { name: string; description: string; inputSchema: { json: ConverseDocument } };
}

interface ConverseText {
  text: string;
}

interface CachePoint {
  cachePoint: { type: 'default' };
}

/** The used fields of the result of Converse, and in `stream` those of ConverseStream. */
export interface ConverseAnswer {
  readonly stream?: AsyncIterable<ConverseEvent> | undefined;
  readonly output?: { readonly message?: { readonly content?: readonly AnswerBlock[] } };
  readonly stopReason?: string | undefined;
  readonly usage?: ConverseUsage | undefined;
  readonly serviceTier?: UsedServiceTier | undefined;
}

/** The tier that processed a request. */
export interface UsedServiceTier {
  readonly type?: string | undefined;
}

/** The used fields of an event. Each event has one of them. */
export interface ConverseEvent {
  readonly contentBlockStart?: {
    readonly contentBlockIndex?: number | undefined;
    readonly start?: BlockStart | undefined;
  };
  readonly contentBlockDelta?: {
    readonly contentBlockIndex?: number | undefined;
    readonly delta?: BlockDelta | undefined;
  };
  readonly messageStop?: { readonly stopReason?: string | undefined };
  readonly metadata?: {
    readonly usage?: ConverseUsage | undefined;
    readonly serviceTier?: UsedServiceTier | undefined;
  };
}

export interface BlockStart {
  readonly toolUse?: ToolUseStart | undefined;
}

interface ToolUseStart {
  readonly toolUseId?: string | undefined;
  readonly name?: string | undefined;
  /** Only the service's own tools have a type. */
  readonly type?: string | undefined;
}

export interface BlockDelta {
  readonly text?: string | undefined;
  readonly toolUse?: { readonly input?: string | undefined } | undefined;
  readonly reasoningContent?: ReasoningDelta | undefined;
  readonly citation?: unknown;
}

export interface ReasoningDelta {
  readonly text?: string | undefined;
  readonly signature?: string | undefined;
  readonly redactedContent?: Uint8Array | undefined;
}

/** A complete content block. */
export interface AnswerBlock {
  readonly text?: string | undefined;
  readonly toolUse?: (ToolUseStart & { readonly input?: unknown }) | undefined;
  readonly reasoningContent?:
    | {
        readonly reasoningText?: { readonly text?: string; readonly signature?: string };
        readonly redactedContent?: Uint8Array;
      }
    | undefined;
}

export interface ConverseUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadInputTokens?: number | undefined;
  readonly cacheWriteInputTokens?: number | undefined;
  readonly cacheDetails?:
    | readonly { readonly ttl?: string | undefined; readonly inputTokens?: number | undefined }[]
    | undefined;
}

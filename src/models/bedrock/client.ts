/**
 * The part of the AWS client that is used, from version 3.968.0 on. This is an interface because
 * the private members of the client's class make the classes of different versions incompatible.
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

import { Buffer } from 'node:buffer';
import { PtcError } from '../../shared/errors.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import type {
  ConverseBlock,
  ConverseDocument,
  ConverseInput,
  ConverseMessage,
  ConverseReasoning,
  ConverseTool,
  ConverseToolChoice,
  ServiceTier,
} from './client.ts';
import { BedrockMedia } from './media.ts';
import type {
  AssistantBlock,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ThinkingBlock,
  ToolChoice,
  UserBlock,
} from '../language-model.ts';
import type { BlockPlace } from '../unsupported-block.ts';

/** The settings that all requests of a model share. */
export interface ConverseSettings {
  readonly modelId: string;
  readonly promptCaching: boolean;
  readonly additionalModelRequestFields: JsonObject | undefined;
  readonly serviceTier: ServiceTier | undefined;
  /** The inference settings other than the longest answer. */
  readonly inferenceConfig: JsonObject;
  /** Other fields, without those that the adapter sets. */
  readonly extra: JsonObject;
}

const CACHE_POINT = { cachePoint: { type: 'default' } } as const;

/** The result of a tool that returned nothing: the service refuses blank text. */
const EMPTY_RESULT = '(nothing)';

/** The text that is added if a user sends only documents. */
const ONLY_DOCUMENTS = '(See the document.)';

/** The input of Converse and ConverseStream. */
export function converseInput(request: ModelRequest, settings: ConverseSettings): ConverseInput {
  const { modelId, promptCaching, additionalModelRequestFields, serviceTier } = settings;
  const { toolChoice } = request;
  const cachePoint = promptCaching ? [CACHE_POINT] : [];
  const input: ConverseInput = {
    ...toFields(settings.extra),
    modelId,
    messages: messages(request.messages, cachePoint),
    inferenceConfig: { ...toFields(settings.inferenceConfig), ...inferenceConfig(request) },
  };
  if (!isBlank(request.system)) input.system = [{ text: request.system }, ...cachePoint];
  if (request.tools.length > 0) {
    input.toolConfig = { tools: [...request.tools.map(toTool), ...cachePoint] };
    if (toolChoice !== undefined) input.toolConfig.toolChoice = toChoice(toolChoice);
  }
  if (additionalModelRequestFields !== undefined) {
    input.additionalModelRequestFields = toDocument(additionalModelRequestFields);
  }
  if (serviceTier !== undefined) input.serviceTier = { type: serviceTier };
  return input;
}

function inferenceConfig(request: ModelRequest): ConverseInput['inferenceConfig'] {
  const { maxTokens, temperature, topP, stopSequences } = request;
  return {
    maxTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
  };
}

function toChoice(choice: ToolChoice): ConverseToolChoice {
  if (typeof choice !== 'string') return { tool: { name: choice.tool } };
  if (choice === 'any') return { any: {} };
  if (choice === 'auto') return { auto: {} };
  // If the tools were left out instead, the service would refuse a conversation with tool calls.
  throw new PtcError(
    'OPTION_INVALID',
    `toolChoice cannot be 'none' on Amazon Bedrock, which has no such setting. Leave toolChoice out, and write in the instructions that the model must not call tools.`,
    { details: { option: 'toolChoice', value: choice } },
  );
}

function toTool({ name, description, inputSchema, inputExamples = [] }: ModelTool): ConverseTool {
  // The service has no field for examples.
  const examples = inputExamples.map(
    (example) => `Example of arguments: ${JSON.stringify(example)}`,
  );
  return {
    toolSpec: {
      name,
      description: [description, ...examples].join('\n'),
      inputSchema: { json: toDocument(inputSchema) },
    },
  };
}

function messages(
  all: readonly ModelMessage[],
  cachePoint: readonly (typeof CACHE_POINT)[],
): ConverseMessage[] {
  const translated: ConverseMessage[] = [];
  const media = new BedrockMedia();
  for (const [message, { role, content }] of all.entries()) {
    const blocks = content
      .map((one, block) => toBlock(one, media, { message, block }))
      .filter((block) => block !== undefined);
    const previous = translated.at(-1);
    // The service refuses empty messages and consecutive messages with the same role.
    if (blocks.length === 0) continue;
    if (previous?.role === role) previous.content.push(...blocks);
    else translated.push({ role, content: blocks });
  }
  for (const { content } of translated) content.push(...textBeside(content));
  translated.findLast(({ role }) => role === 'user')?.content.push(...cachePoint);
  return translated;
}

function toBlock(
  block: UserBlock | AssistantBlock,
  media: BedrockMedia,
  place: BlockPlace,
): ConverseBlock | undefined {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? undefined : { text: block.text };
    case 'image':
    case 'document':
      return media.toBlock(block, place);
    case 'thinking':
      return { reasoningContent: reasoning(block) };
    case 'tool-use':
      // The service accepts only objects, even for arguments that were never one.
      return {
        toolUse: { toolUseId: block.id, name: block.name, input: toDocument(block.input ?? {}) },
      };
    case 'tool-result':
      return {
        toolResult: {
          toolUseId: block.toolUseId,
          content: [{ text: isBlank(block.text) ? EMPTY_RESULT : block.text }],
          // Not every model accepts a status, so only errors have one.
          ...(block.isError ? { status: 'error' } : {}),
        },
      };
    default:
      // This adapter creates none, and the service could not read those of another.
      return undefined;
  }
}

/** The service accepts documents only together with a text. */
function textBeside(content: readonly ConverseBlock[]): ConverseBlock[] {
  const needsText =
    content.some((block) => 'document' in block) && !content.some((block) => 'text' in block);
  return needsText ? [{ text: ONLY_DOCUMENTS }] : [];
}

function reasoning(block: ThinkingBlock): ConverseReasoning {
  if (block.redactedData !== undefined) {
    return { redactedContent: Buffer.from(block.redactedData, 'base64') };
  }
  return {
    reasoningText: {
      text: block.thinking,
      ...(block.signature === '' ? {} : { signature: block.signature }),
    },
  };
}

/** The client's type for JSON is not readonly, but the client does not change its input. */
function toDocument(value: JsonValue): ConverseDocument {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map(toDocument);
  return toFields(value);
}

function toFields(object: JsonObject): Record<string, ConverseDocument> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, toDocument(value)]));
}

// `Array.isArray` does not narrow readonly arrays.
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

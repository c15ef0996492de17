import { Buffer } from 'node:buffer';
import { PtcError } from '../shared/errors.ts';
import type { JsonObject, JsonValue } from '../shared/json.ts';
import type {
  ConverseBlock,
  ConverseDocument,
  ConverseInput,
  ConverseMessage,
  ConverseReasoning,
  ConverseTool,
  ConverseToolChoice,
  ServiceTier,
} from './bedrock-client.ts';
import { BedrockMedia } from './bedrock-media.ts';
import type {
  AssistantBlock,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ThinkingBlock,
  ToolChoice,
  UserBlock,
} from './language-model.ts';
import type { BlockPlace } from './unsupported-block.ts';

/** What the requests of a model have in common. */
export interface ConverseSettings {
  readonly modelId: string;
  readonly promptCaching: boolean;
  readonly additionalModelRequestFields: JsonObject | undefined;
  readonly serviceTier: ServiceTier | undefined;
  /** Settings beside the longest answer. */
  readonly inferenceConfig: JsonObject;
  /** Other fields, none of them one that is set here. */
  readonly extra: JsonObject;
}

const CACHE_POINT = { cachePoint: { type: 'default' } } as const;

/** What a tool that gave nothing is said to have given: the service refuses blank text. */
const NOTHING = '(nothing)';

/** What a user is said to have said who gave documents alone. */
const ONLY_DOCUMENTS = '(See the document.)';

/** The input of Converse and of ConverseStream, which are the same. */
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
  // Without its tools it would refuse a conversation in which one was called.
  throw new PtcError(
    'OPTION_INVALID',
    `toolChoice cannot be 'none' on Amazon Bedrock, which cannot be told to call no tool. Leave toolChoice out, and say in the instructions that no tool is to be called.`,
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
    // The service takes no empty message, and no two of one role after each other.
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
      // The service takes only objects, also for arguments that never were one.
      return {
        toolUse: { toolUseId: block.id, name: block.name, input: toDocument(block.input ?? {}) },
      };
    case 'tool-result':
      return {
        toolResult: {
          toolUseId: block.toolUseId,
          content: [{ text: isBlank(block.text) ? NOTHING : block.text }],
          // Not every model takes a status, so that only errors have one.
          ...(block.isError ? { status: 'error' } : {}),
        },
      };
    default:
      // This adapter makes none, and the service could not read another's.
      return undefined;
  }
}

/** The service takes documents only beside a text. */
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

/** The client's type for JSON is not readonly; it changes nothing that it is given. */
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

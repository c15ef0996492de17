import { Buffer } from 'node:buffer';
import type {
  ContentBlock,
  ConverseCommandInput,
  Message,
  ReasoningContentBlock,
  Tool,
  ToolChoice as ConverseToolChoice,
} from '@aws-sdk/client-bedrock-runtime';
import { PtcError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type { BedrockServiceTier } from './client.ts';
import { BedrockMedia, toImage } from './media.ts';
import type {
  AssistantBlock,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ThinkingBlock,
  ToolChoice,
  UserBlock,
} from '../language-model.ts';
import { withoutLastThinking } from '../shared/last-thinking.ts';
import { withoutErrorImages, withoutImages } from '../shared/result-images.ts';
import { PLAIN_IDS, sendableRequest } from '../shared/sendable-request.ts';
import type { BlockPlace } from '../unsupported-block.ts';

/** The settings that all requests of a model share. */
export interface ConverseSettings {
  readonly modelId: string;
  readonly promptCaching: boolean;
  readonly acceptsImages: boolean;
  readonly additionalModelRequestFields: JsonObject | undefined;
  readonly serviceTier: BedrockServiceTier | undefined;
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

/** JSON in the client's types, which are not readonly, but the client does not change its input. */
type ConverseDocument = NonNullable<ConverseCommandInput['additionalModelRequestFields']>;

/** The input of Converse and ConverseStream. */
export function converseInput(asked: ModelRequest, settings: ConverseSettings): object {
  const request = sendableRequest(asked, PLAIN_IDS);
  const sent = withoutLastThinking(request.messages);
  const { modelId, promptCaching, additionalModelRequestFields, serviceTier } = settings;
  const { system, maxTokens, temperature, topP, stopSequences, toolChoice } = request;
  const cachePoint = promptCaching ? [CACHE_POINT] : [];
  const input: ConverseCommandInput = {
    ...settings.extra,
    modelId,
    messages: messages(
      settings.acceptsImages ? withoutErrorImages(sent) : withoutImages(sent),
      cachePoint,
    ),
    inferenceConfig: {
      ...settings.inferenceConfig,
      maxTokens,
      ...given({ temperature, topP, stopSequences: stopSequences && [...stopSequences] }),
    },
    ...given({
      additionalModelRequestFields: additionalModelRequestFields as ConverseDocument | undefined,
      serviceTier: serviceTier && { type: serviceTier },
    }),
  };
  if (!isBlank(system)) input.system = [{ text: system }, ...cachePoint];
  if (request.tools.length > 0) {
    input.toolConfig = { tools: [...request.tools.map(toTool), ...cachePoint] };
    if (toolChoice !== undefined) input.toolConfig.toolChoice = toChoice(toolChoice);
  }
  return input;
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

function toTool(tool: ModelTool): Tool {
  const { name, description, inputSchema, inputExamples = [], strict } = tool;
  // The service has no field for examples.
  const examples = inputExamples.map(
    (example) => `Example of arguments: ${JSON.stringify(example)}`,
  );
  return {
    toolSpec: {
      name,
      description: [description, ...examples].join('\n'),
      inputSchema: { json: inputSchema as ConverseDocument },
      ...given({ strict }),
    },
  };
}

function messages(
  all: readonly ModelMessage[],
  cachePoint: readonly (typeof CACHE_POINT)[],
): Message[] {
  const translated: (Message & { content: ContentBlock[] })[] = [];
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
): ContentBlock | undefined {
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
        toolUse: {
          toolUseId: block.id,
          name: block.name,
          input: (block.input ?? {}) as ConverseDocument,
        },
      };
    case 'tool-result':
      return {
        toolResult: {
          toolUseId: block.toolUseId,
          content: [
            { text: isBlank(block.text) ? EMPTY_RESULT : block.text },
            ...(block.images ?? []).map((image) => toImage(image)),
          ],
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
function textBeside(content: readonly ContentBlock[]): ContentBlock[] {
  const needsText =
    content.some((block) => 'document' in block) && !content.some((block) => 'text' in block);
  return needsText ? [{ text: ONLY_DOCUMENTS }] : [];
}

function reasoning(block: ThinkingBlock): ReasoningContentBlock {
  if (block.redactedData !== undefined) {
    return { redactedContent: Buffer.from(block.redactedData, 'base64') };
  }
  return {
    reasoningText: {
      text: block.thinking,
      ...given({ signature: block.signature || undefined }),
    },
  };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

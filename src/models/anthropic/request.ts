import { given } from '../../shared/given.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { withoutErrorImages } from '../shared/result-images.ts';
import { PLAIN_IDS, sendableRequest } from '../shared/sendable-request.ts';
import { withoutLastThinking } from '../shared/last-thinking.ts';
import { withoutOpenUses } from './server-tools.ts';
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  ModelMessage,
  ModelRequest,
  ToolChoice,
  ToolResultBlock,
  UserBlock,
} from '../language-model.ts';
import type { AnthropicThinking } from './thinking.ts';

/** The settings that all requests of a model share. */
export interface MessagesSettings {
  readonly model: string;
  readonly thinking?: AnthropicThinking;
  readonly effort?: string;
  readonly serviceTier?: string;
  /** Other fields, without those that the adapter sets. */
  readonly extra: JsonObject;
}

type Block = JsonObject;

const CACHE_BREAKPOINT = { type: 'ephemeral' };

/**
 * The body of a Messages API request. The tools, the system prompt and the conversation so far each
 * end with a cache breakpoint, so that the next turn reads them all from the service's cache.
 */
export function messagesRequest(
  { model, thinking, effort, serviceTier, extra }: MessagesSettings,
  asked: ModelRequest,
): JsonObject {
  const request = sendableRequest(asked, PLAIN_IDS);
  const { system, temperature, topP, stopSequences, toolChoice } = request;
  const hasTools = request.tools.length > 0;
  return {
    ...extra,
    model,
    max_tokens: request.maxTokens,
    stream: true,
    messages: messages(request.messages),
    ...(isBlank(system)
      ? {}
      : { system: [{ type: 'text', text: system, cache_control: CACHE_BREAKPOINT }] }),
    ...(hasTools ? { tools: tools(request) } : {}),
    // The service refuses it without tools.
    ...(hasTools && toolChoice !== undefined ? { tool_choice: toChoice(toolChoice) } : {}),
    ...given({
      temperature,
      top_p: topP,
      stop_sequences: stopSequences,
      thinking: thinking && toWire(thinking),
      output_config: effort === undefined ? undefined : { effort },
      service_tier: serviceTier,
    }),
  };
}

function toWire(thinking: AnthropicThinking): JsonObject {
  if (thinking.type !== 'enabled') return thinking;
  const { budgetTokens, ...others } = thinking;
  return { ...others, budget_tokens: budgetTokens };
}

function toChoice(choice: ToolChoice): JsonObject {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', name: choice.tool };
}

function tools(request: ModelRequest): JsonObject[] {
  const last = request.tools.length - 1;
  return request.tools.map(({ name, description, inputSchema, inputExamples, strict }, index) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
    ...given({ input_examples: inputExamples, strict }),
    ...(index === last ? { cache_control: CACHE_BREAKPOINT } : {}),
  }));
}

function messages(all: readonly ModelMessage[]): JsonObject[] {
  const translated: { role: ModelMessage['role']; content: Block[] }[] = [];
  for (const { role, content } of withoutErrorImages(withoutLastThinking(withoutOpenUses(all)))) {
    const blocks = content.map(toBlock).filter((block) => block !== undefined);
    const previous = translated.at(-1);
    // The service refuses empty messages. Those around an answer that is left out are one.
    if (blocks.length === 0) continue;
    if (previous?.role === role) previous.content.push(...blocks);
    else translated.push({ role, content: blocks });
  }
  const newest = translated.at(-1);
  if (newest !== undefined) newest.content = withCacheBreakpoint(newest.content);
  return translated;
}

function toBlock(block: UserBlock | AssistantBlock): Block | undefined {
  switch (block.type) {
    case 'text':
      // Models sometimes answer with blank text, which the service refuses as input.
      return isBlank(block.text) ? undefined : { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', source: sourceOf(block) };
    case 'document':
      return {
        type: 'document',
        source: sourceOf(block),
        ...given({ title: block.title }),
      };
    case 'thinking':
      return block.redactedData === undefined
        ? { type: 'thinking', thinking: block.thinking, signature: block.signature }
        : { type: 'redacted_thinking', data: block.redactedData };
    case 'tool-use':
      // The service accepts only objects, even for arguments that were never one.
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input ?? {} };
    case 'tool-result':
      return {
        type: 'tool_result',
        tool_use_id: block.toolUseId,
        ...contentOf(block),
        is_error: block.isError,
      };
    default:
      // The unchanged block from the service, of a type that only the service knows.
      return 'type' in block.value ? block.value : undefined;
  }
}

/** The service refuses blank text. */
function contentOf({ text, images = [] }: ToolResultBlock): JsonObject {
  const isEmpty = isBlank(text);
  if (images.length === 0) return isEmpty ? {} : { content: text };
  const parts = images.map((image) => ({ type: 'image', source: sourceOf(image) }));
  return { content: [...(isEmpty ? [] : [{ type: 'text', text }]), ...parts] };
}

function sourceOf(block: ImageBlock | DocumentBlock): JsonObject {
  if ('url' in block) return { type: 'url', url: block.url };
  const isText = 'text' in block;
  return {
    type: isText ? 'text' : 'base64',
    media_type: block.mediaType,
    data: isText ? block.text : block.data,
  };
}

/** Adds a breakpoint to the last block that may have one. Thinking after it needs no breakpoint. */
function withCacheBreakpoint(blocks: readonly Block[]): Block[] {
  const index = blocks.findLastIndex(({ type }) => MAY_HAVE_BREAKPOINT.has(type));
  return blocks.map((block, at) =>
    at === index ? { ...block, cache_control: CACHE_BREAKPOINT } : block,
  );
}

const MAY_HAVE_BREAKPOINT: ReadonlySet<unknown> = new Set([
  'text',
  'image',
  'document',
  'tool_result',
  'tool_use',
]);

function isBlank(text: string): boolean {
  return text.trim() === '';
}

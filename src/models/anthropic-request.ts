import type Anthropic from '@anthropic-ai/sdk';
import type { AssistantBlock, ModelMessage, ModelRequest, UserBlock } from './language-model.ts';

type Block = Anthropic.ContentBlockParam;

const CACHE_BREAKPOINT: Anthropic.CacheControlEphemeral = { type: 'ephemeral' };

/**
 * The body of a Messages API request. The tools, the system text and the conversation so far each end
 * in a cache breakpoint, so that the next turn reads all of them from the service's cache.
 */
export function messagesRequest(
  model: string,
  request: ModelRequest,
  thinking: Anthropic.ThinkingConfigParam | undefined,
): Anthropic.MessageCreateParamsStreaming {
  const body: Anthropic.MessageCreateParamsStreaming = {
    model,
    max_tokens: request.maxTokens,
    stream: true,
    messages: messages(request.messages),
  };
  if (!isBlank(request.system)) {
    body.system = [{ type: 'text', text: request.system, cache_control: CACHE_BREAKPOINT }];
  }
  if (request.tools.length > 0) body.tools = tools(request);
  if (thinking !== undefined) body.thinking = thinking;
  return body;
}

function tools(request: ModelRequest): Anthropic.Tool[] {
  const last = request.tools.length - 1;
  return request.tools.map(({ name, description, inputSchema, inputExamples }, index) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
    ...(inputExamples === undefined ? {} : { input_examples: inputExamples.map(copy) }),
    ...(index === last ? { cache_control: CACHE_BREAKPOINT } : {}),
  }));
}

function copy<T extends object>(value: T): T {
  return { ...value };
}

function messages(all: readonly ModelMessage[]): Anthropic.MessageParam[] {
  const translated = all
    .map((message) => ({
      role: message.role,
      content: message.content.map(toBlock).filter((block) => block !== undefined),
    }))
    // The service refuses an empty message, and joins two of one role by itself.
    .filter((message) => message.content.length > 0);
  const newest = translated.at(-1);
  if (newest !== undefined) newest.content = withCacheBreakpoint(newest.content);
  return translated;
}

function toBlock(block: UserBlock | AssistantBlock): Block | undefined {
  switch (block.type) {
    case 'text':
      // Models do answer with blank text; the service refuses to read it back.
      return isBlank(block.text) ? undefined : { type: 'text', text: block.text };
    case 'thinking':
      return block.redactedData === undefined
        ? { type: 'thinking', thinking: block.thinking, signature: block.signature }
        : { type: 'redacted_thinking', data: block.redactedData };
    case 'tool-use':
      // The service takes only objects, also for arguments that never were one.
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input ?? {} };
    case 'tool-result':
      return {
        type: 'tool_result',
        tool_use_id: block.toolUseId,
        ...(isBlank(block.text) ? {} : { content: block.text }),
        is_error: block.isError,
      };
    default:
      // It is the very block that the service sent, of a type only the service knows.
      return isBlock(block.value) ? block.value : undefined;
  }
}

/** A breakpoint on the last block that may have one; the thinking after it is not worth its own. */
function withCacheBreakpoint(blocks: readonly Block[]): Block[] {
  const index = blocks.findLastIndex(mayHaveBreakpoint);
  return blocks.map((block, at) =>
    at === index && mayHaveBreakpoint(block)
      ? { ...block, cache_control: CACHE_BREAKPOINT }
      : block,
  );
}

function mayHaveBreakpoint(
  block: Block,
): block is
  | Anthropic.TextBlockParam
  | Anthropic.ToolResultBlockParam
  | Anthropic.ToolUseBlockParam {
  return block.type === 'text' || block.type === 'tool_result' || block.type === 'tool_use';
}

function isBlock(value: object): value is Block {
  return 'type' in value;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

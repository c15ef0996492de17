import type { JsonObject } from '../shared/json.ts';
import type {
  AssistantBlock,
  ModelRequest,
  ModelTool,
  ToolChoice,
  UserBlock,
} from './language-model.ts';
import type { MediaBlock } from './media-problem.ts';
import type { ChatRequest } from './openai-client.ts';
import { unsupportedBlock, type BlockPlace } from './unsupported-block.ts';

type Message = ChatRequest['messages'][number];

/** The field that limits an answer. Which of them a service knows differs. */
export type MaxTokensField = 'max_completion_tokens' | 'max_tokens';

/** What the requests of a model have in common. */
export interface ChatSettings {
  readonly model: string;
  readonly effort?: string;
  readonly serviceTier?: string;
  /** Other fields, none of them one that is set here. */
  readonly extra: JsonObject;
}

/** What a tool that gave nothing is said to have given: some services refuse blank text. */
const NOTHING = '(nothing)';

/** The body of a Chat Completions request. */
export function chatRequest(
  { model, effort, serviceTier, extra }: ChatSettings,
  request: ModelRequest,
  maxTokensField: MaxTokensField,
): ChatRequest {
  const { system, tools, maxTokens, temperature, topP, stopSequences, toolChoice } = request;
  const hasTools = tools.length > 0;
  return {
    ...extra,
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(isBlank(system) ? [] : [{ role: 'system', content: system }]),
      ...request.messages.flatMap((message, index) =>
        message.role === 'user' ? fromUser(message.content, index) : fromAssistant(message.content),
      ),
    ],
    [maxTokensField]: maxTokens,
    // An empty list is refused.
    ...(hasTools ? { tools: tools.map(toTool) } : {}),
    // Without tools it is refused.
    ...(hasTools && toolChoice !== undefined ? { tool_choice: toChoice(toolChoice) } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stopSequences === undefined ? {} : { stop: stopSequences }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  };
}

function toChoice(choice: ToolChoice): string | JsonObject {
  if (typeof choice !== 'string') return { type: 'function', function: { name: choice.tool } };
  return choice === 'any' ? 'required' : choice;
}

function toTool({ name, description, inputSchema, inputExamples = [] }: ModelTool): JsonObject {
  // The API has no field for examples.
  const examples = inputExamples.map(
    (example) => `Example of arguments: ${JSON.stringify(example)}`,
  );
  return {
    type: 'function',
    function: {
      name,
      description: [description, ...examples].join('\n'),
      parameters: inputSchema,
    },
  };
}

/** Results must come right after the calls that they answer, so that they go before any text. */
function fromUser(content: readonly UserBlock[], message: number): Message[] {
  const results = content
    .filter((block) => block.type === 'tool-result')
    .map(({ toolUseId, text, isError }) => {
      const given = isBlank(text) ? NOTHING : text;
      // The API has no field for errors.
      return {
        role: 'tool',
        tool_call_id: toolUseId,
        content: isError ? `Error: ${given}` : given,
      };
    });
  const parts = content.flatMap((one, block) => toPart(one, { message, block }));
  if (parts.length === 0) return results;
  const isText = parts.every((part) => part.type === 'text');
  return [...results, { role: 'user', content: isText ? joined(parts) : parts }];
}

type Part = TextPart | { readonly type: 'image_url' | 'file'; readonly [field: string]: unknown };

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

function toPart(block: UserBlock, place: BlockPlace): Part[] {
  if (block.type === 'text') return isBlank(block.text) ? [] : [block];
  return block.type === 'tool-result' ? [] : [toMediaPart(block, place)];
}

function toMediaPart(block: MediaBlock, place: BlockPlace): Part {
  if (block.type === 'image') {
    return { type: 'image_url', image_url: { url: addressOf(block) } };
  }
  const { title } = block;
  if ('text' in block) {
    // The API takes no files of text: they are to be sent as the text that they are.
    const text = title === undefined ? block.text : `${title}\n\n${block.text}`;
    return { type: 'text', text };
  }
  if ('url' in block) {
    throw unsupportedBlock(
      block,
      place,
      'The Chat Completions API takes no addresses of documents. Fetch it, and give its data.',
    );
  }
  const filename = `${(title ?? 'document').replace(/\.pdf$/i, '')}.pdf`;
  return { type: 'file', file: { filename, file_data: addressOf(block) } };
}

/** Where an image is, or an address that has all of the contents in it (RFC 2397). */
function addressOf(block: Exclude<MediaBlock, { readonly text: string }>): string {
  return 'url' in block ? block.url : `data:${block.mediaType};base64,${block.data}`;
}

/** Thinking and what only another service understands has no place in this API and is left out. */
function fromAssistant(content: readonly AssistantBlock[]): Message[] {
  const text = textOf(content);
  const calls = content
    .filter((block) => block.type === 'tool-use')
    .map(({ id, name, input }) => ({
      id,
      type: 'function',
      // Not every service takes arguments that are no JSON object, as those of a malformed call are.
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }));
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function textOf(content: readonly AssistantBlock[]): string {
  return joined(content.filter((block) => block.type === 'text'));
}

/** One text, since many services take no list of them. */
function joined(texts: readonly { readonly text: string }[]): string {
  return texts
    .map(({ text }) => text)
    .filter((text) => !isBlank(text))
    .join('\n');
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

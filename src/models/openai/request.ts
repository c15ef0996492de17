import { given } from '../../shared/given.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type {
  AssistantBlock,
  ImageBlock,
  ModelRequest,
  ModelTool,
  ToolChoice,
  UserBlock,
} from '../language-model.ts';
import type { MediaBlock } from '../media-problem.ts';
import { imagesNote, withoutImages } from '../shared/result-images.ts';
import { sendableRequest, SHORT_IDS } from '../shared/sendable-request.ts';
import { unsupportedBlock, type BlockPlace } from '../unsupported-block.ts';
import { returnedFields } from './returned-fields.ts';

type Message =
  | { readonly role: 'user'; readonly content: string | readonly Part[] }
  | { readonly role: 'assistant' | 'tool'; readonly content: string | null };

/** The field that limits an answer. Services differ in which one they know. */
export type OpenAIMaxTokensField = 'max_completion_tokens' | 'max_tokens';

/** What the service makes different. */
export interface ChatService {
  /** Its host. */
  readonly service: string;
  readonly maxTokensField: OpenAIMaxTokensField;
}

/** The settings that all requests of a model share. */
export interface ChatSettings {
  readonly model: string;
  readonly effort?: string;
  readonly serviceTier?: string;
  /** @default true */
  readonly acceptsImages?: boolean;
  /** Other fields, without those that the adapter sets. */
  readonly extra: JsonObject;
}

/** The result of a tool that returned nothing: some services refuse blank text. */
const EMPTY_RESULT = '(nothing)';

/** The body of a Chat Completions request. */
export function chatRequest(
  { model, effort, serviceTier, acceptsImages = true, extra }: ChatSettings,
  asked: ModelRequest,
  { service, maxTokensField }: ChatService,
): object {
  const request = sendableRequest(asked, SHORT_IDS);
  const { system, tools, maxTokens, temperature, topP, stopSequences, toolChoice } = request;
  const hasTools = tools.length > 0;
  const messages = acceptsImages ? request.messages : withoutImages(request.messages);
  return {
    ...extra,
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(isBlank(system) ? [] : [{ role: 'system', content: system }]),
      ...joinedQuestions(
        messages.flatMap((message, index) =>
          message.role === 'user'
            ? fromUser(message.content, index)
            : fromAssistant(message.content, service),
        ),
      ),
    ],
    [maxTokensField]: maxTokens,
    // Services refuse an empty list.
    ...(hasTools ? { tools: tools.map(toTool) } : {}),
    // Services refuse it without tools.
    ...(hasTools && toolChoice !== undefined ? { tool_choice: toChoice(toolChoice) } : {}),
    ...given({
      temperature,
      top_p: topP,
      stop: stopSequences,
      reasoning_effort: effort,
      service_tier: serviceTier,
    }),
  };
}

function toChoice(choice: ToolChoice): string | JsonObject {
  if (typeof choice !== 'string') return { type: 'function', function: { name: choice.tool } };
  return choice === 'any' ? 'required' : choice;
}

function toTool(tool: ModelTool): JsonObject {
  const { name, description, inputSchema, inputExamples = [], strict } = tool;
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
      ...given({ strict }),
    },
  };
}

/** Some services refuse two questions in a row. They remain if the answer between them says nothing. */
function joinedQuestions(messages: readonly Message[]): Message[] {
  const all: Message[] = [];
  for (const message of messages) {
    const previous = all.at(-1);
    if (message.role === 'user' && previous?.role === 'user') {
      const parts = [previous.content, message.content].flatMap(toParts);
      all[all.length - 1] = { role: 'user', content: contentOf(parts) };
    } else all.push(message);
  }
  return all;
}

function toParts(content: string | readonly Part[]): readonly Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function contentOf(parts: readonly Part[]): string | readonly Part[] {
  return parts.every((part) => part.type === 'text') ? joined(parts) : parts;
}

/** Results must directly follow the calls that they answer, so they come before any text. */
function fromUser(content: readonly UserBlock[], message: number): Message[] {
  const results = content
    .filter((block) => block.type === 'tool-result')
    .map(({ toolUseId, text, isError }) => {
      const result = isBlank(text) ? EMPTY_RESULT : text;
      // The API has no field for errors.
      return {
        role: 'tool' as const,
        tool_call_id: toolUseId,
        content: isError ? `Error: ${result}` : result,
      };
    });
  const parts = [
    ...imagesOf(content),
    ...content.flatMap((one, block) => toPart(one, { message, block })),
  ];
  if (parts.length === 0) return results;
  return [...results, { role: 'user', content: contentOf(parts) }];
}

/** The API takes images only from a user. */
function imagesOf(content: readonly UserBlock[]): Part[] {
  return content.flatMap((block): Part[] => {
    if (block.type !== 'tool-result') return [];
    const { images = [] } = block;
    if (images.length === 0) return [];
    return [{ type: 'text', text: imagesNote(block) }, ...images.map(toImagePart)];
  });
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
    return toImagePart(block);
  }
  const { title } = block;
  if ('text' in block) {
    // The API does not accept text files, so the text is sent as text.
    const text = title === undefined ? block.text : `${title}\n\n${block.text}`;
    return { type: 'text', text };
  }
  if ('url' in block) {
    throw unsupportedBlock(
      block,
      place,
      'The Chat Completions API does not accept URLs of documents. Fetch the document, and pass its data.',
    );
  }
  const filename = `${(title ?? 'document').replace(/\.pdf$/i, '')}.pdf`;
  return { type: 'file', file: { filename, file_data: addressOf(block) } };
}

function toImagePart(block: ImageBlock): Part {
  return { type: 'image_url', image_url: { url: addressOf(block) } };
}

/** The URL of an image, or a data URL with all of its contents (RFC 2397). */
function addressOf(block: Exclude<MediaBlock, { readonly text: string }>): string {
  return 'url' in block ? block.url : `data:${block.mediaType};base64,${block.data}`;
}

/** Leaves out the thinking of other adapters, for which the API has no place. */
function fromAssistant(content: readonly AssistantBlock[], service: string): Message[] {
  const text = textOf(content);
  const { ofMessage, ofCall } = returnedFields(content, service);
  const calls = content
    .filter((block) => block.type === 'tool-use')
    .map(({ id, name, input }, index) => ({
      ...ofCall(index),
      id,
      type: 'function',
      // Some services refuse arguments that are not a JSON object, such as those of a malformed
      // call.
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }));
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...ofMessage,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function textOf(content: readonly AssistantBlock[]): string {
  return joined(content.filter((block) => block.type === 'text'));
}

/** Joins texts into one, because many services do not accept a list of them. */
function joined(texts: readonly { readonly text: string }[]): string {
  return texts
    .map(({ text }) => text)
    .filter((text) => !isBlank(text))
    .join('\n');
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

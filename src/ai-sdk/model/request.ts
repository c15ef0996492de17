import { given } from '../../shared/given.ts';
import { isRecord } from '../../shared/guards.ts';
import type {
  AssistantBlock,
  ModelMessage,
  ModelRequest,
  ToolChoice,
  ToolResultBlock,
  UserBlock,
} from '../../models/language-model.ts';
import type { MediaBlock } from '../../models/media-problem.ts';
import { imagesNote } from '../../models/shared/result-images.ts';
import { PLAIN_IDS, sendableRequest } from '../../models/shared/sendable-request.ts';
import { cacheMarksOf } from './cache-marks.ts';
import type { AiSdkModel, ProviderOptions, SdkMessage, SdkPart, SdkRequest } from './sdk-model.ts';

/** A message that is not the system's. */
interface WrittenMessage extends SdkMessage {
  readonly content: readonly SdkPart[];
}

/** The options of `doStream` for a request. */
export function sdkRequest(model: AiSdkModel, asked: ModelRequest): SdkRequest {
  // Providers differ in the ids that they accept, and some read their own.
  const request = sendableRequest(asked, isClaude(model) ? PLAIN_IDS : undefined);
  const { system, tools, maxTokens, temperature, topP, stopSequences, toolChoice } = request;
  const providerOptions = cacheMarksOf(model);
  const isV3 = model.specificationVersion === 'v3';
  const names = namesOfCalls(request.messages);
  const end = request.messages.length - 1;
  const messages = joinedQuestions(
    request.messages.flatMap((message, index) =>
      message.role === 'user'
        ? fromUser(message.content, names, isV3)
        : fromAssistant(message.content, { isV3, isLast: index === end }),
    ),
  );
  const newest = messages.pop();
  const last = tools.length - 1;
  return {
    prompt: [
      ...(isBlank(system) ? [] : [{ role: 'system' as const, content: system, providerOptions }]),
      ...messages,
      ...(newest === undefined ? [] : [{ ...newest, providerOptions }]),
    ],
    maxOutputTokens: maxTokens,
    ...given({ temperature, topP, stopSequences }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema, inputExamples, strict }, index) => ({
        type: 'function',
        name,
        description,
        inputSchema,
        ...given({ inputExamples: inputExamples?.map((input) => ({ input })), strict }),
        ...(index === last && { providerOptions }),
      })),
      ...given({ toolChoice: toolChoice && toChoice(toolChoice) }),
    }),
  };
}

/** Also on Bedrock and Vertex. Claude refuses ids that others accept. */
function isClaude({ provider, modelId }: AiSdkModel): boolean {
  return /anthropic|claude/.test(`${provider} ${modelId}`);
}

/** Some services refuse two questions in a row. They remain if the answer between them says nothing. */
function joinedQuestions(messages: readonly WrittenMessage[]): WrittenMessage[] {
  const joined: WrittenMessage[] = [];
  for (const message of messages) {
    const previous = joined.at(-1);
    if (message.role === 'user' && previous?.role === 'user') {
      joined[joined.length - 1] = {
        role: 'user',
        content: [...previous.content, ...message.content],
      };
    } else joined.push(message);
  }
  return joined;
}

function toChoice(choice: ToolChoice): object {
  if (typeof choice !== 'string') return { type: 'tool', toolName: choice.tool };
  return { type: choice === 'any' ? 'required' : choice };
}

/** The AI SDK wants the name of the tool with each result. */
function namesOfCalls(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool-use' ? [[block.id, block.name]] : [])),
    ),
  );
}

/** Results must directly follow the calls that they answer, so they come before any text. */
function fromUser(
  content: readonly UserBlock[],
  names: ReadonlyMap<string, string>,
  isV3: boolean,
): WrittenMessage[] {
  const results: SdkPart[] = [];
  const parts: SdkPart[] = [];
  for (const block of content) {
    if (block.type === 'tool-result') {
      const { toolUseId, text, isError } = block;
      results.push({
        type: 'tool-result',
        toolCallId: toolUseId,
        toolName: names.get(toolUseId) ?? '',
        output: { type: isError ? 'error-text' : 'text', value: isBlank(text) ? EMPTY : text },
      });
      parts.push(...imagesOf(block, isV3));
    } else if (block.type !== 'text') parts.push(toFile(block, isV3));
    else if (!isBlank(block.text)) parts.push({ type: 'text', text: block.text });
  }
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(parts.length > 0 ? [{ role: 'user' as const, content: parts }] : []),
  ];
}

/**
 * Many providers write the images of a result into the request as text, so they follow the results
 * as files of the user.
 */
function imagesOf(block: ToolResultBlock, isV3: boolean): SdkPart[] {
  const { images = [] } = block;
  if (images.length === 0) return [];
  return [{ type: 'text', text: imagesNote(block) }, ...images.map((image) => toFile(image, isV3))];
}

/** The result of a tool that returned nothing: some services refuse blank text. */
const EMPTY = '(nothing)';

function toFile(block: MediaBlock, isV3: boolean): SdkPart {
  const title = block.type === 'document' ? block.title : undefined;
  const common = { type: 'file', ...given({ filename: title }) };
  if ('text' in block) {
    const data = isV3
      ? Buffer.from(block.text).toString('base64')
      : { type: 'text', text: block.text };
    return { ...common, mediaType: block.mediaType, data };
  }
  if (!('url' in block)) {
    const data = isV3 ? block.data : { type: 'data', data: block.data };
    return { ...common, mediaType: block.mediaType, data };
  }
  const url = new URL(block.url);
  const mediaType = block.mediaType ?? 'image/*';
  return { ...common, mediaType, data: isV3 ? url : { type: 'url', url } };
}

/**
 * What a provider added to a part of an answer is in the opaque block before it, and goes back
 * with it. Services refuse thinking at the end of an answer that another message follows.
 */
function fromAssistant(
  content: readonly AssistantBlock[],
  { isV3, isLast }: { readonly isV3: boolean; readonly isLast: boolean },
): WrittenMessage[] {
  const parts: SdkPart[] = [];
  let added: { readonly providerOptions?: ProviderOptions } = {};
  for (const block of content) {
    const part = toPart(block);
    if (part !== undefined) parts.push({ ...part, ...added });
    added = {};
    if (block.type !== 'opaque') continue;
    const { kind, providerMetadata } = block.value;
    if (isRecord(providerMetadata))
      added = { providerOptions: providerMetadata as ProviderOptions };
    if (kind === undefined) continue;
    // Version 3 has no such parts.
    if (!isV3) parts.push({ type: 'custom', kind, ...added });
    added = {};
  }
  const end = isLast ? parts.length : parts.findLastIndex(({ type }) => type !== 'reasoning') + 1;
  return end === 0 ? [] : [{ role: 'assistant', content: parts.slice(0, end) }];
}

function toPart(block: AssistantBlock): SdkPart | undefined {
  switch (block.type) {
    case 'text':
      // Models sometimes answer with blank text, which services refuse as input.
      return isBlank(block.text) ? undefined : { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'reasoning', text: block.thinking };
    case 'tool-use':
      return {
        type: 'tool-call',
        toolCallId: block.id,
        toolName: block.name,
        // Services accept only objects, even for arguments that were never one.
        input: block.input ?? {},
      };
    default:
      return undefined;
  }
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

import type {
  InputBlock,
  ModelMessage,
  ToolResultBlock,
  UserBlock,
} from '../../models/language-model.ts';
import { shortenText } from '../long-text/shorten-text.ts';
import { estimateMessages } from './message-tokens.ts';
import { isStoppedLaterText, NOT_WAITED_FOR } from '../call-record.ts';
import {
  lastLines,
  OPEN_CALLS_BEGIN,
  openCallLines,
  openLinesOf,
  withoutOpenLines,
} from './open-calls.ts';

/** The start of a summary, by which a later compaction recognizes it. */
const SUMMARY_BEGIN =
  '[The conversation was longer before. This summary takes the place of what was said and done until here:]';

const SHORTENED = 'this result is old, so it was shortened';

/** Space for the note on what was left out, so that nothing is shortened twice. */
const NOTE_LENGTH = 150;

/** How much of an old result's list of calls with an unknown outcome is kept, in characters. */
const OPEN_LENGTH = 4000;

/** How much of an old request is kept beside a summary, in characters. */
const KEPT_REQUEST_LENGTH = 8000;

/**
 * The index of the first message that stays unchanged. The messages from there take at most
 * `keptTokens`, but are never fewer than the last ones that can be sent alone. A conversation can
 * be cut before an answer, because all its results follow, and before a request without results.
 * @returns An index from 1 on; 0 if nothing can be cut off.
 */
export function cutIndex(messages: readonly ModelMessage[], keptTokens: number): number {
  const places = messages.flatMap((message, index) =>
    index > 0 && canBegin(message) ? [index] : [],
  );
  let tokens = estimateMessages(messages);
  let measured = 0;
  for (const index of places) {
    tokens -= estimateMessages(messages.slice(measured, index));
    measured = index;
    if (tokens <= keptTokens) return index;
  }
  return places.at(-1) ?? 0;
}

/**
 * Shortens tool results to their start and end.
 * @param before - The index of the first message that stays unchanged.
 * @param maxLength - How much of a result's text is kept, in characters. Its list of calls with an
 *   unknown outcome is kept as well.
 */
export function shortenResults(
  messages: readonly ModelMessage[],
  before: number,
  maxLength: number,
): readonly ModelMessage[] {
  return messages.map((message, index) => {
    if (index >= before || message.role !== 'user') return message;
    const content = message.content.map((block) =>
      block.type === 'tool-result' ? shortenResult(block, maxLength) : block,
    );
    const isSame = content.every((block, at) => block === message.content[at]);
    return isSame ? message : { role: 'user', content };
  });
}

/**
 * The messages from `cut` on, after a summary that replaces the earlier ones. The request that the
 * first of them belongs to is kept verbatim, and so is each line about a call with an unknown
 * outcome.
 * @param openLength - How long the list of such calls may be, in characters.
 */
export function withSummary(
  messages: readonly ModelMessage[],
  cut: number,
  summary: string,
  openLength: number,
): readonly ModelMessage[] {
  const dropped = messages.slice(0, cut);
  const open = lastLines(openCallLines(dropped, isSummary), openLength);
  const parts = [SUMMARY_BEGIN, summary];
  if (open.length > 0) parts.push(OPEN_CALLS_BEGIN, ...open);
  const begin: UserBlock = { type: 'text', text: parts.join('\n') };
  const first = messages[cut];
  return first?.role === 'user'
    ? [{ role: 'user', content: [begin, ...first.content] }, ...messages.slice(cut + 1)]
    : [{ role: 'user', content: [begin, ...requestOf(dropped)] }, ...messages.slice(cut)];
}

/** The last request in the messages. Long texts are shortened. */
function requestOf(messages: readonly ModelMessage[]): readonly InputBlock[] {
  const requests = messages.flatMap(({ role, content }) => {
    const blocks = role === 'user' ? content.filter((block) => isRequest(block)) : [];
    return blocks.length > 0 ? [blocks] : [];
  });
  return (requests.at(-1) ?? []).map((block) =>
    'text' in block
      ? { ...block, text: shortenText(block.text, KEPT_REQUEST_LENGTH, 'the request was long') }
      : block,
  );
}

/** The part of the messages that a summary would keep, or that would be as long after it. */
export function notFreed(messages: readonly ModelMessage[]): ModelMessage {
  const summaries = messages.flatMap(({ content }) =>
    content.filter((block) => block.type === 'text' && isSummary(block.text)),
  );
  return { role: 'user', content: [...(summaries as UserBlock[]), ...requestOf(messages)] };
}

/** Whether a text is the summary of an earlier compaction. */
function isSummary(text: string): boolean {
  return text.startsWith(SUMMARY_BEGIN);
}

function isRequest(block: UserBlock): block is InputBlock {
  if (block.type === 'text') return !isSummary(block.text) && !isStoppedLaterText(block.text);
  return block.type !== 'tool-result';
}

function canBegin({ role, content }: ModelMessage): boolean {
  return role === 'assistant' || content.every(({ type }) => type !== 'tool-result');
}

/** Images cannot be shortened, and an old one is seldom looked at again, so they are left out. */
function shortenResult(block: ToolResultBlock, maxLength: number): ToolResultBlock {
  if (block.images === undefined) return shortenTextOf(block, maxLength);
  const { images, ...withoutImages } = block;
  const what = images.length === 1 ? '1 image' : `${images.length} images`;
  const { text } = shortenTextOf(withoutImages, maxLength);
  // Above the text, because a list of calls with an unknown outcome ends it.
  return { ...withoutImages, text: `[… ${what} left out; ${SHORTENED} …]\n${text}` };
}

function shortenTextOf(block: ToolResultBlock, maxLength: number): ToolResultBlock {
  const open = lastLines(openLinesOf(block), OPEN_LENGTH);
  // A later compaction finds the lines by the one above them, unless it searches the whole result.
  const kept = block.isError || open.length === 0 ? open : [NOT_WAITED_FOR, ...open];
  const keptLength = maxLength + NOTE_LENGTH + kept.join('\n').length;
  if (block.text.length <= keptLength) return block;
  // No line is there twice, because each of them is counted.
  const text = shortenText(withoutOpenLines(block), maxLength, SHORTENED);
  return { ...block, text: [text, ...kept].join('\n') };
}

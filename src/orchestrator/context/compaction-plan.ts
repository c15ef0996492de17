import type {
  InputBlock,
  ModelMessage,
  ToolResultBlock,
  UserBlock,
} from '../../models/language-model.ts';
import { shortenText } from '../context-text.ts';
import { estimateMessages } from './message-tokens.ts';
import { NOT_WAITED_FOR } from '../call-record.ts';
import { lastLines, openCallLines, openLinesOf } from './open-calls.ts';

/** Begins the text of a summary, by which a later compaction knows it. */
const SUMMARY_BEGIN =
  '[The conversation was longer before. This summary takes the place of what was said and done until here:]';

const OPEN_CALLS_BEGIN = '[Tool calls of that time whose outcome nobody knows:]';

const SHORTENED = 'this result is old, so it was shortened';

/** Room for what is said of the part that was left out, so that nothing is shortened twice. */
const NOTE_LENGTH = 150;

/** What stays of the calls of an old result of which it is not known whether they were done, in characters. */
const OPEN_LENGTH = 4000;

/** Longest part of an old request that stays word for word beside a summary, in characters. */
const KEPT_REQUEST_LENGTH = 8000;

/**
 * Where the messages that stay as they are begin: as early as these take at most `keptTokens`, but they are never fewer than
 * the last that can stand alone. A conversation can be cut before an answer, whose results all come after it, and before a
 * request that has no results.
 * @returns An index from 1 on; 0 if there is nothing that could be cut off.
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
 * Shortens tool results to their first and last part.
 * @param before - The index of the first message that stays as it is.
 * @param maxLength - Of a result's text, in characters. What is not known of its calls is kept beside it.
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
 * The messages from `cut` on, with a summary in the place of those before. The request that the first of them belongs to
 * stays word for word, and so does each call of which it is not known whether it was done.
 * @param openLength - Of what is said of such calls, in characters.
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

/** The last request among messages, its texts shortened if they are long. */
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

/** What of messages would be there again, or as long, after they were summed up. */
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
  return block.type !== 'tool-result' && !(block.type === 'text' && isSummary(block.text));
}

function canBegin({ role, content }: ModelMessage): boolean {
  return role === 'assistant' || content.every(({ type }) => type !== 'tool-result');
}

function shortenResult(block: ToolResultBlock, maxLength: number): ToolResultBlock {
  const open = lastLines(openLinesOf(block), OPEN_LENGTH);
  // A later compaction finds them by the line above them, unless the whole result is looked at.
  const kept = block.isError || open.length === 0 ? open : [NOT_WAITED_FOR, ...open];
  const keptLength = maxLength + NOTE_LENGTH + kept.join('\n').length;
  if (block.text.length <= keptLength) return block;
  const text = shortenText(block.text, maxLength, SHORTENED);
  const isWhole = kept.every((line) => text.includes(line));
  return { ...block, text: isWhole ? text : [text, ...kept].join('\n') };
}

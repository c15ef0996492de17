import type { ModelMessage } from '../../models/language-model.ts';
import { shortenText } from '../long-text/shorten-text.ts';
import { cutIndex, notFreed, shortenResults, withSummary } from './compaction-plan.ts';
import { BYTES_PER_TOKEN, estimateMessages, measureMessages } from './message-tokens.ts';

/**
 * The share of the space for messages that stays unchanged: small, so that the next compaction is
 * far away.
 */
const KEPT_SHARE = 0.4;

/**
 * The share of the space that messages may fill after a compaction. If shortening old results
 * achieves this, there is no summary.
 */
const TARGET_SHARE = 0.6;

/**
 * The share of the messages, or of the space for them if that is larger, that a compaction must
 * free. Each one costs a summary and the service's cache.
 */
const MIN_FREED_SHARE = 0.1;

/** The share of the space for messages that a summary may fill. */
const SUMMARY_SHARE = 0.2;

/** The share of the space for messages that the list of calls with an unknown outcome may fill. */
const OPEN_SHARE = 0.1;

/** The length that this list may always have, in characters. */
const MIN_OPEN_LENGTH = 4000;

/** The length of a shortened old result, in characters. */
const OLD_RESULT_LENGTH = 600;

/** How much of each of the newest results is always kept, in characters. */
const NEW_RESULT_LENGTH = 2000;

export interface CompactOptions {
  readonly messages: readonly ModelMessage[];
  /** About how many tokens there are for messages. */
  readonly roomTokens: number;
  /** Summarizes messages, which are then left out. */
  readonly summarize: (messages: readonly ModelMessage[]) => Promise<string>;
}

export interface Compacted {
  readonly messages: readonly ModelMessage[];
  /** The summary that replaced old messages; undefined if shortening old results was enough. */
  readonly summary: string | undefined;
}

/**
 * Shortens a conversation in one large step. First, old results are shortened. If that is not
 * enough, old messages are replaced by a summary. If it still does not fit, the newest results are
 * shortened.
 * @returns Undefined if too little could be freed.
 */
export async function compact(options: CompactOptions): Promise<Compacted | undefined> {
  const { messages, roomTokens } = options;
  const cut = cutIndex(messages, roomTokens * KEPT_SHARE);
  const shortened = shortenResults(messages, cut, OLD_RESULT_LENGTH);
  await measureMessages(shortened);
  if (estimateMessages(shortened) <= roomTokens * TARGET_SHARE && freesEnough(options, shortened)) {
    return { messages: shortened, summary: undefined };
  }
  const summed = await sumUp(options, cut);
  const all = summed?.messages ?? messages;
  if (estimateMessages(all) <= roomTokens) return summed;
  const newest = shortenResults(all, all.length, newestLength(options));
  await measureMessages(newest);
  return summed !== undefined || freesEnough(options, newest)
    ? { messages: newest, summary: summed?.summary }
    : undefined;
}

/** Replaces the messages before `cut` by a summary; undefined if that frees too little. */
async function sumUp(options: CompactOptions, cut: number): Promise<Compacted | undefined> {
  const { messages, roomTokens, summarize } = options;
  const old = messages.slice(0, cut);
  const isWorthIt = freesEnough(options, [notFreed(old), ...messages.slice(cut)]);
  if (cut === 0 || !isWorthIt) return undefined;
  const maxLength = Math.floor(roomTokens * SUMMARY_SHARE * BYTES_PER_TOKEN);
  const summary = shortenText(await summarize(old), maxLength, 'the summary was too long');
  const summed = withSummary(messages, cut, summary, openLength(roomTokens));
  // The summary of a few short messages can be longer than they are.
  const isShorter = estimateMessages(summed) < estimateMessages(messages);
  return isShorter ? { messages: summed, summary } : undefined;
}

/** How long the list of calls with an unknown outcome may be, in characters. */
function openLength(roomTokens: number): number {
  return Math.max(MIN_OPEN_LENGTH, Math.floor(roomTokens * OPEN_SHARE * BYTES_PER_TOKEN));
}

/**
 * How long each of the newest results may be, in characters, so that they share the remaining
 * space.
 */
function newestLength({ messages, roomTokens }: CompactOptions): number {
  const results = messages.at(-1)?.content.filter(({ type }) => type === 'tool-result') ?? [];
  const length = (roomTokens * KEPT_SHARE * BYTES_PER_TOKEN) / Math.max(1, results.length);
  return Math.max(NEW_RESULT_LENGTH, Math.floor(length));
}

function freesEnough(
  { messages, roomTokens }: CompactOptions,
  after: readonly ModelMessage[],
): boolean {
  const before = estimateMessages(messages);
  return before - estimateMessages(after) >= Math.max(before, roomTokens) * MIN_FREED_SHARE;
}

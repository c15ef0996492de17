import type { ModelMessage } from '../../models/language-model.ts';
import { shortenText } from '../context-text.ts';
import { cutIndex, notFreed, shortenResults, withSummary } from './compaction-plan.ts';
import { BYTES_PER_TOKEN, estimateMessages } from './message-tokens.ts';

/** Of the room for messages, what stays as it is: so little that the next compaction is far away. */
const KEPT_SHARE = 0.4;

/** The share of the room that messages may take after a compaction. If shortening old results is enough, nothing is summed up. */
const LOW_WATER_SHARE = 0.6;

/** Of the messages, or of the room for them if that is more, what a compaction must free: each one costs a summary, and what the service has cached. */
const LEAST_FREED_SHARE = 0.1;

/** Of the room for messages, what a summary may take. */
const SUMMARY_SHARE = 0.2;

/** Of the room for messages, what may be said of calls of which it is not known whether they were done. */
const OPEN_SHARE = 0.1;

/** What may always be said of them, in characters. */
const LEAST_OPEN_LENGTH = 4000;

/** What stays of an old result, in characters. */
const OLD_RESULT_LENGTH = 600;

/** How much of the newest results is always kept, even if they have to be shortened. */
const NEW_RESULT_LENGTH = 2000;

export interface CompactOptions {
  readonly messages: readonly ModelMessage[];
  /** About how many tokens there are for messages. */
  readonly roomTokens: number;
  /** Sums up messages that are then left out. */
  readonly summarize: (messages: readonly ModelMessage[]) => Promise<string>;
}

export interface Compacted {
  readonly messages: readonly ModelMessage[];
  /** What took the place of old messages; undefined if it was enough to shorten old results. */
  readonly summary: string | undefined;
}

/**
 * Makes a conversation shorter, in one large step: old results are shortened; if that is not enough, what is old is summed
 * up; if it still does not fit, the newest results are shortened.
 * @returns Undefined if too little could be freed.
 */
export async function compact(options: CompactOptions): Promise<Compacted | undefined> {
  const { messages, roomTokens } = options;
  const cut = cutIndex(messages, roomTokens * KEPT_SHARE);
  const shortened = shortenResults(messages, cut, OLD_RESULT_LENGTH);
  if (
    estimateMessages(shortened) <= roomTokens * LOW_WATER_SHARE &&
    freesEnough(options, shortened)
  ) {
    return { messages: shortened, summary: undefined };
  }
  const summed = await sumUp(options, cut);
  const all = summed?.messages ?? messages;
  if (estimateMessages(all) <= roomTokens) return summed;
  const newest = shortenResults(all, all.length, newestLength(options));
  return summed !== undefined || freesEnough(options, newest)
    ? { messages: newest, summary: summed?.summary }
    : undefined;
}

/** Sums up what is before `cut`; undefined if that would free too little. */
async function sumUp(options: CompactOptions, cut: number): Promise<Compacted | undefined> {
  const { messages, roomTokens, summarize } = options;
  const old = messages.slice(0, cut);
  const isWorthIt = freesEnough(options, [notFreed(old), ...messages.slice(cut)]);
  if (cut === 0 || !isWorthIt) return undefined;
  const maxLength = Math.floor(roomTokens * SUMMARY_SHARE * BYTES_PER_TOKEN);
  const summary = shortenText(await summarize(old), maxLength, 'the summary was too long');
  return { messages: withSummary(messages, cut, summary, openLength(roomTokens)), summary };
}

/** What may be said of calls of which it is not known whether they were done, in characters. */
function openLength(roomTokens: number): number {
  return Math.max(LEAST_OPEN_LENGTH, Math.floor(roomTokens * OPEN_SHARE * BYTES_PER_TOKEN));
}

/** What each of the newest results may have, in characters, if they are to share what is left of the room. */
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
  return before - estimateMessages(after) >= Math.max(before, roomTokens) * LEAST_FREED_SHARE;
}

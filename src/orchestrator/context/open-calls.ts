import type { ModelMessage, ToolResultBlock, ToolUseBlock } from '../../models/language-model.ts';
import { isStoppedLaterText, NOT_KNOWN, NOT_WAITED_FOR } from '../call-record.ts';
import { EXECUTE_CODE } from '../code/code-tool-definition.ts';

/** The line before these calls in a summary, of which they are the last part. */
export const OPEN_CALLS_BEGIN = '[Tool calls of that time whose outcome nobody knows:]';

/** The end of a line that is about several calls. Such numbers are limited: programs can print them. */
const COUNTED = new RegExp(`${NOT_KNOWN} \\((\\d{1,6}) such calls\\)$`);
const MORE = new RegExp(`(\\d{1,6}) more calls?: of each, ${NOT_KNOWN}$`);
const MAX_COUNT = 999_999;
/** The line for calls that are not listed. */
const MORE_LINE = `and 1 more call: of each, ${NOT_KNOWN}`;

/** Longest line of one call, in characters. */
const MAX_LINE_LENGTH = 500;

/**
 * Returns a line for each call in messages whose outcome is unknown. These lines must be kept when
 * the messages are replaced. Otherwise the model would make such a call again, or believe that it
 * was made.
 * @param isSummary - Whether a text is the summary of an earlier compaction, which also has such
 *   lines.
 */
export function openCallLines(
  messages: readonly ModelMessage[],
  isSummary: (text: string) => boolean,
): readonly string[] {
  const uses = new Map<string, ToolUseBlock>();
  const lines: string[] = [];
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'tool-use') uses.set(block.id, block);
      if (block.type === 'text' && isSummary(block.text)) {
        // The summary itself can name the same calls.
        lines.push(...openLinesAfter(OPEN_CALLS_BEGIN, block.text));
      } else if (block.type === 'text' && isStoppedLaterText(block.text)) {
        lines.push(...openLines(block.text));
      }
      if (block.type !== 'tool-result') continue;
      const open = openLinesOf(block);
      if (open.length > 0) lines.push(...named(open, uses.get(block.toolUseId)));
    }
  }
  return lines;
}

/** The lines of a result about calls with an unknown outcome. Ignores what a program printed. */
export function openLinesOf({ text, isError }: ToolResultBlock): readonly string[] {
  if (isError) return openLines(text);
  // If the program succeeded, everything above this line is its output.
  return openLinesAfter(NOT_WAITED_FOR, text);
}

/** A text without the lines that `openLinesOf` finds in it. */
export function withoutOpenLines({ text, isError }: ToolResultBlock): string {
  const at = isError ? 0 : text.lastIndexOf(NOT_WAITED_FOR);
  if (at === -1) return text;
  const lines = text.slice(at).split('\n');
  const others = lines.filter((line) => !line.includes(NOT_KNOWN) && line !== NOT_WAITED_FOR);
  return text.slice(0, at) + others.join('\n');
}

function openLinesAfter(begin: string, text: string): readonly string[] {
  const at = text.lastIndexOf(begin);
  return at === -1 ? [] : openLines(text.slice(at));
}

function openLines(text: string): readonly string[] {
  if (!text.includes(NOT_KNOWN)) return [];
  const lines = text.split('\n').filter((line) => line.includes(NOT_KNOWN));
  return lines.map(shortened);
}

/**
 * The last of these lines, and the number of the others. Several calls whose lines are the same have
 * one line with their number.
 * @param maxLength - The length of all lines together, in characters.
 */
export function lastLines(lines: readonly string[], maxLength: number): readonly string[] {
  const kept: string[] = [];
  const all = merged(lines).toReversed();
  let left = maxLength;
  for (const line of all) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.unshift(line);
  }
  const others = all.slice(kept.length).reduce((sum, line) => sum + callsIn(line), 0);
  return others === 0 ? kept : [withCount(MORE_LINE, others), ...kept];
}

/** The lines in the order in which they came last. */
function merged(lines: readonly string[]): readonly string[] {
  const calls = new Map<string, number>();
  for (const line of lines) {
    const one = ofOneCall(line);
    const before = calls.get(one) ?? 0;
    calls.delete(one);
    calls.set(one, before + callsIn(line));
  }
  return [...calls].map(([line, count]) => withCount(line, count));
}

/** How many calls a line is about. */
function callsIn(line: string): number {
  return Number((COUNTED.exec(line) ?? MORE.exec(line))?.[1] ?? 1);
}

/** The line as if it were about one call. */
function ofOneCall(line: string): string {
  return line.replace(COUNTED, NOT_KNOWN).replace(MORE, `1 more call: of each, ${NOT_KNOWN}`);
}

/** The line of one call for several. */
function withCount(line: string, count: number): string {
  if (count === 1) return line;
  const shown = Math.min(count, MAX_COUNT);
  return MORE.test(line)
    ? line.replace(MORE, `${shown} more calls: of each, ${NOT_KNOWN}`)
    : `${line} (${shown} such calls)`;
}

/**
 * A line from a program names its tool call. A line about a direct call, or about a whole program,
 * does not.
 */
function named(lines: readonly string[], use: ToolUseBlock | undefined): readonly string[] {
  if (use === undefined) return lines;
  const call = `${use.name}(${JSON.stringify(use.input ?? {})})`;
  return lines.map((line) =>
    use.name === EXECUTE_CODE && !line.startsWith('[') ? line : shortened(`${call}: ${line}`),
  );
}

function shortened(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const start = ofOneCall(line).slice(0, MAX_LINE_LENGTH - NOT_KNOWN.length);
  return withCount(`${Buffer.from(start).toString()}…: ${NOT_KNOWN}`, callsIn(line));
}

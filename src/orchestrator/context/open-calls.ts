import type { ModelMessage, ToolResultBlock, ToolUseBlock } from '../../models/language-model.ts';
import { isStoppedLaterText, NOT_KNOWN, NOT_WAITED_FOR } from '../call-record.ts';
import { EXECUTE_CODE } from '../code/code-tool-definition.ts';

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
      if (block.type === 'text' && (isSummary(block.text) || isStoppedLaterText(block.text))) {
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
  const at = text.lastIndexOf(NOT_WAITED_FOR);
  return at === -1 ? [] : openLines(text.slice(at));
}

function openLines(text: string): readonly string[] {
  if (!text.includes(NOT_KNOWN)) return [];
  const lines = text.split('\n').filter((line) => line.includes(NOT_KNOWN));
  return lines.map(shortened);
}

/**
 * The last of these lines without duplicates, and the number of the others. The number is limited
 * because a program can print such lines.
 * @param maxLength - The length of all lines together, in characters.
 */
export function lastLines(lines: readonly string[], maxLength: number): readonly string[] {
  const kept: string[] = [];
  const all = [...new Set(lines.toReversed())];
  let left = maxLength;
  for (const line of all) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.unshift(line);
  }
  const others = all.slice(kept.length).reduce((sum, line) => sum + callsIn(line), 0);
  if (others === 0) return kept;
  const calls = others === 1 ? 'more call' : 'more calls';
  return [`and ${others} ${calls}: of each, ${NOT_KNOWN}`, ...kept];
}

/** How many calls a line is about. A line from an earlier compaction may be about several. */
function callsIn(line: string): number {
  return Number(/^and (\d{1,6}) more calls?: of each/.exec(line)?.[1] ?? 1);
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
  const start = line.slice(0, MAX_LINE_LENGTH - NOT_KNOWN.length);
  return `${Buffer.from(start).toString()}…: ${NOT_KNOWN}`;
}

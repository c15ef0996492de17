import type { ModelMessage, ToolResultBlock, ToolUseBlock } from '../../models/language-model.ts';
import { NOT_KNOWN, NOT_WAITED_FOR } from '../call-record.ts';
import { EXECUTE_CODE } from '../code-tool-definition.ts';

/** Longest line of one call, in characters. */
const MAX_LINE_LENGTH = 500;

/**
 * A line for each call in messages of which it is not known whether it was done. They must outlast the messages: the model
 * would else make such a call again, or believe that it was made.
 * @param isSummary - Whether a text is the summary of an earlier compaction, which has such lines too.
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
      if (block.type === 'text' && isSummary(block.text)) lines.push(...openLines(block.text));
      if (block.type !== 'tool-result') continue;
      const open = openLinesOf(block);
      if (open.length > 0) lines.push(...named(open, uses.get(block.toolUseId)));
    }
  }
  return lines;
}

/** The lines of a result that tell of calls of which it is not known whether they were done, whatever a program printed. */
export function openLinesOf({ text, isError }: ToolResultBlock): readonly string[] {
  if (isError) return openLines(text);
  // Of a program that succeeded, all above this line is what it printed.
  const at = text.lastIndexOf(NOT_WAITED_FOR);
  return at === -1 ? [] : openLines(text.slice(at));
}

function openLines(text: string): readonly string[] {
  if (!text.includes(NOT_KNOWN)) return [];
  const lines = text.split('\n').filter((line) => line.includes(NOT_KNOWN));
  return lines.map(shortened);
}

/**
 * The last of such lines, each once, and how many others there are: what programs print can look like one.
 * @param maxLength - Of all of them, in characters.
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

/** How many calls a line tells of: one that was left by a shortening before tells of several. */
function callsIn(line: string): number {
  return Number(/^and (\d{1,6}) more calls?: of each/.exec(line)?.[1] ?? 1);
}

/** A line of a program names its tool call; that of a direct call, or of a program as a whole, does not. */
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

import { toPythonPath } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';
import { isCommonWord, wordsOf } from './words.ts';

/** The longest text about all name spaces, in characters. */
const MAXIMUM_TEXT = 5000;
/** The longest list of names or words in a line, in characters. */
const MAXIMUM_LIST = 160;
const NAME_WORDS = 40;

/** The name space of a tool; undefined if it has none. */
export function nameSpaceOf(tool: Tool): string | undefined {
  return toPythonPath(tool.name)?.[0];
}

/**
 * One line about each name space: how many tools it has, and their names, or if there are too many,
 * the words that occur most often in them. The same tools give the same text.
 */
export function describeNameSpaces(tools: readonly Tool[]): string {
  const groups = new Map<string | undefined, Tool[]>();
  for (const tool of tools) {
    const nameSpace = nameSpaceOf(tool);
    const group = groups.get(nameSpace);
    if (group === undefined) groups.set(nameSpace, [tool]);
    else group.push(tool);
  }
  const lines: string[] = [];
  let length = 0;
  let shown = 0;
  for (const [nameSpace, group] of groups) {
    const line = `- ${nameSpace ?? 'without a name space'} (${countTools(group.length)}): ${contentsOf(group)}`;
    length += line.length + 1;
    if (length > MAXIMUM_TEXT) break;
    lines.push(line);
    shown += group.length;
  }
  const left = tools.length - shown;
  if (left > 0)
    lines.push(`- ${groups.size - lines.length} more name spaces (${countTools(left)})`);
  return lines.join('\n');
}

/** Such as `1,223 tools`. */
export function countTools(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools.toLocaleString('en-US')} tools`;
}

function contentsOf(tools: readonly Tool[]): string {
  const names = tools.map(shortName);
  const all = names.join(', ');
  return all.length <= MAXIMUM_LIST ? all : listOf(frequentWords(names));
}

function shortName({ name, identifier }: Tool): string {
  return toPythonPath(name)?.[1] ?? identifier;
}

/** As many as fit, with a sign that there are others. */
function listOf(words: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const word of words) {
    length += word.length + 2;
    if (length > MAXIMUM_LIST) break;
    shown.push(word);
  }
  return [...shown, '…'].join(', ');
}

/** The words of names without verbs, which many tools share. The most frequent ones come first. */
function frequentWords(names: readonly string[]): string[] {
  const counts = new Map<string, { count: number }>();
  for (const name of names) {
    for (const word of new Set(wordsOf(name, NAME_WORDS))) {
      if (isCommonWord(word)) continue;
      const known = counts.get(word);
      if (known === undefined) counts.set(word, { count: 1 });
      else known.count += 1;
    }
  }
  return [...counts].sort(([, a], [, b]) => b.count - a.count).map(([word]) => word);
}

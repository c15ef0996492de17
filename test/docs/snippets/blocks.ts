import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** The line of its first line of text, from 1. */
  readonly line: number;
  /** The word after the fence; empty if there is none. */
  readonly language: string;
  readonly text: string;
  /** The name of the file that the page says to save it as. */
  readonly file: string | undefined;
  /** Why no test checks it: the comment `<!-- not checked: reason -->` before the block. */
  readonly notChecked: string | undefined;
}

const BLOCK =
  /(?:^.*[Ss]ave this as `(?<file>[^`]+)`.*:\n\n)?(?:^ *<!-- not checked: (?<reason>[^]+?) -->\n\n?)?^(?<indent> *)```(?<language>\S*)[^\n]*\n(?<text>[^]*?)^\k<indent>```$/gm;

/** The pages of this repository, from its root. */
export async function pages(): Promise<string[]> {
  const found: string[] = [];
  for (const directory of ['.', '.changeset', '.github', 'docs', 'examples', 'bench']) {
    const recursive = directory !== '.';
    for (const name of await readdir(directory, { recursive })) {
      if (name.endsWith('.md') && !name.includes('node_modules')) found.push(join(directory, name));
    }
  }
  return found;
}

/** A page without its blocks of code, in which nothing is a link, a heading or a path. */
export function proseOf(page: string): string {
  return readFileSync(page, 'utf8').replace(/^ *```[^]*?^ *```/gm, '');
}

/** The blocks of all pages. */
export async function allBlocks(): Promise<Block[]> {
  return (await pages()).flatMap(blocksOf);
}

/** The blocks of a page, in their order. */
export function blocksOf(page: string): Block[] {
  const source = readFileSync(page, 'utf8');
  return [...source.matchAll(BLOCK)].map((match) => {
    const { file, reason, indent = '', language = '', text = '' } = match.groups ?? {};
    const before = source.slice(0, match.index + match[0].lastIndexOf(`${text}${indent}\`\`\``));
    return {
      page,
      line: before.split('\n').length,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      file,
      notChecked: reason,
    };
  });
}

/** Where a block is, for messages. */
export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandsOf } from './snippets/shell.ts';
import { proseOf } from './snippets/blocks.ts';

/** The cells of the rows of a page's tables, without the heads. */
function rowsOf(page: string): string[][] {
  const rows = proseOf(page).match(/^\|.*\|$/gm) ?? [];
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The files and folders in a directory of examples; a folder ends with a slash. */
function entriesOf(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .filter((name) => name !== 'README.md');
}

it.each([
  ['examples', 1],
  ['examples/web-chat', 0],
])('the index of %s names each of its files and folders, and no other', (directory, column) => {
  const cells = rowsOf(`${directory}/README.md`).map((row) => row[column] ?? '');
  // Other tables of the page have variables and requests in this column.
  const named = cells.flatMap((cell) => /^\[?`([\w.-]+(?:\.mjs|\/))`/.exec(cell)?.[1] ?? []);
  expect(new Set(named)).toEqual(new Set(entriesOf(directory)));
  expect(named).toHaveLength(new Set(named).size);
});

it('the index of the examples has the command that runs each of them', () => {
  const wrong = rowsOf('examples/README.md').filter(([, example = '', command = '']) => {
    const file = /`([\w.-]+\.mjs)`/.exec(example)?.[1];
    const words = commandsOf(command.replaceAll('`', ''))[0];
    return file !== undefined && words?.join(' ') !== `node examples/${file}`;
  });
  expect(wrong).toEqual([]);
});

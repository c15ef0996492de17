import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

it('an example imports nothing of this package but its public entry points', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
  const entryPoints = new Set(Object.keys(exports).map((path) => join('sandboxed-ptc', path)));
  const files = readdirSync('examples', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?js$/.test(file))
    .map((file) => join('examples', file));
  const imports = files.flatMap((file) => {
    const statements = readFileSync(file, 'utf8').matchAll(
      /\b(?:from|import)\s*\(?\s*(['"`])([^'"`]+)\1/g,
    );
    return [...statements].map(([, , module = '']) => ({ file, module }));
  });
  const inside = imports.filter(({ file, module }) => {
    if (module.startsWith('.')) return !join(file, '..', module).startsWith('examples/');
    return module.split('/')[0] === 'sandboxed-ptc' && !entryPoints.has(module);
  });
  expect(inside).toEqual([]);
  // Otherwise, nothing was looked at.
  expect(new Set(imports.map(({ module }) => module))).toContain('sandboxed-ptc/docker');
});

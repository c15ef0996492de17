import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { pages, proseOf } from './snippets/blocks.ts';

/** The pages for contributors. The other pages also name files of their readers. */
const FOR_CONTRIBUTORS =
  /^(?:CONTRIBUTING|ARCHITECTURE|SECURITY)\.md$|^docs\/(?:decisions\/|sandbox-internals|lifecycle)/;

/** Files and directories that are installed or built. */
const MADE = new Set(['.git', 'node_modules', 'dist', 'coverage', 'api']);

/** A path with a folder, or the name of a file. Paths of the machine begin with a slash and do not match. */
const PATH = /^[\w.-]+(?:\/[\w.-]+)*(?:\/[\w.-]*|\.(?:js|json|md|mjs|py|sh|ts|yml))$/;

/** Each file and folder of the repository, and the ends of its path: `a/b/c`, `b/c` and `c`. */
async function knownPaths(): Promise<Set<string>> {
  const known = new Set<string>();
  for (const entry of await readdir('.', { withFileTypes: true })) {
    if (MADE.has(entry.name)) continue;
    const inside = entry.isDirectory() ? await readdir(entry.name, { recursive: true }) : [];
    for (const path of ['', ...inside]) {
      const parts = posix.join(entry.name, path).split('/');
      parts.forEach((_part, index) => known.add(parts.slice(index).join('/')));
    }
  }
  return known;
}

/** The paths in code spans, without the names under which users import this package. */
function pathsIn(prose: string): string[] {
  return [...prose.matchAll(/`([^`\s]+)`/g)]
    .map(([, span = '']) => span)
    .filter((span) => PATH.test(span) && !span.startsWith('sandboxed-ptc/'))
    .map((path) => path.replace(/\/$/, ''));
}

it('each path that a page for contributors names exists', async () => {
  const named = (await pages()).filter((page) => FOR_CONTRIBUTORS.test(page));
  const expected = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/decisions/README.md'];
  expect(named).toEqual(expect.arrayContaining(expected));
  const known = await knownPaths();
  const paths = named.flatMap((page) => pathsIn(proseOf(page)).map((path) => ({ page, path })));
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter(({ path }) => !known.has(path))).toEqual([]);
});

it('ARCHITECTURE.md has a row for each folder of src, and no other', () => {
  const rows = [...proseOf('ARCHITECTURE.md').matchAll(/^\| \d+ +\| `([\w-]+)` /gm)];
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(new Set(rows.map(([, folder]) => folder))).toEqual(
    new Set(folders.map(({ name }) => name)),
  );
});

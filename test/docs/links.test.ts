import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { pages, proseOf } from './snippets/blocks.ts';

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The targets of a page's links within the repository. */
function targetsOf(page: string): string[] {
  const links = proseOf(page).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
}

/** The file or directory that a link leads to. */
function fileOf(page: string, target: string): string {
  const [path = ''] = target.split('#');
  return path === '' ? page : join(dirname(page), decodeURIComponent(path));
}

function isBroken(page: string, target: string): boolean {
  const file = fileOf(page, target);
  if (!existsSync(file)) return true;
  const [, anchor] = target.split('#');
  return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
}

/** What the package would have, except for what is built. */
function packedFiles(): Set<string> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const answer = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' })) as unknown;
  // npm 12 answers with an object of packages by name, older ones with a list.
  const [packed] = Object.values(answer as object) as [{ files: readonly { path: string }[] }];
  return new Set(packed.files.map(({ path }) => path));
}

it('each link in the documentation leads to a file and a heading that are there', async () => {
  const all = await pages();
  expect(all).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', 'docs/tools.md']));
  const broken = all.flatMap((page) =>
    targetsOf(page)
      .filter((target) => isBroken(page, target))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it('a page of the package links only to files of the package', async () => {
  const packed = packedFiles();
  const isPacked = (file: string): boolean =>
    packed.has(file) || [...packed].some((other) => other.startsWith(`${file}/`));
  const inPackage = (await pages()).filter((page) => packed.has(page));
  expect(inPackage).toEqual(expect.arrayContaining(['README.md', 'docs/sandboxes.md']));
  const missing = inPackage.flatMap((page) =>
    targetsOf(page)
      .filter((target) => !isPacked(fileOf(page, target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(missing).toEqual([]);
});

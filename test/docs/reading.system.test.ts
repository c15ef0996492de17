import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { startTypeScript } from '../support/typescript-process.ts';

/** How many files a reader goes through. */
const MOST = 8;

const page = await readFile('ARCHITECTURE.md', 'utf8');
const [, section = ''] = /^## Where to begin reading\n(.*?)^## /ms.exec(page) ?? [];
const [ofExecute = '', ofRun = ''] = section.split('**`run()`**');

/** The files that a list of the section names first in each line, without `src/`. */
function listed(part: string, folder: string): string[] {
  return [...part.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => folder + file);
}

/** Whether a file is in code spans of the section, by the end of its path or by its folder. */
function isNamed(file: string): boolean {
  const names = [...section.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name);
  return names.some((name) =>
    name.endsWith('/') ? file.startsWith(name) : `/${file}`.endsWith(`/${name}`),
  );
}

const program = new URL('crossed-files.ts', import.meta.url);
const crossed = JSON.parse(
  await text(startTypeScript({ file: program, separateModules: true }).stdout),
) as {
  readonly execute: readonly string[];
  readonly run: readonly string[];
};

it.each([
  ['execute', listed(ofExecute, ''), ['sessions', 'execution', 'calls', 'protocol']],
  ['run', listed(ofRun, 'orchestrator/'), ['orchestrator']],
] as const)(
  'ARCHITECTURE.md names each file that %s() crosses, and those to read in order',
  async (name, files, folders) => {
    expect(files.length).toBeGreaterThan(1);
    expect(files.length).toBeLessThanOrEqual(MOST);
    expect(crossed[name]).toEqual(expect.arrayContaining(files));
    const own = crossed[name].filter((file) => folders.some((one) => file.startsWith(`${one}/`)));
    expect(own.filter((file) => !isNamed(file))).toEqual([]);
    for (const [index, file] of files.entries()) {
      const source = await readFile(`src/${file}`, 'utf8');
      const imported = [...source.matchAll(/ from '([^']+)'/g)].map(([, path = '']) =>
        new URL(path, `file:///${file}`).pathname.slice(1),
      );
      // Top-down: none of them leads back up.
      expect(
        imported.filter((path) => files.indexOf(path) >= 0 && files.indexOf(path) < index),
      ).toEqual([]);
    }
  },
);

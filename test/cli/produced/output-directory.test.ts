import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OutputDirectory } from '../../../src/cli/produced/output-directory.ts';
import { ProgramDirectory } from '../support.ts';

const X = Buffer.from('x');

it('a file gets the path of its name, in directories that are made', async () => {
  await using place = await ProgramDirectory.with({});
  const output = await OutputDirectory.open(join(place.path, 'a/new/one'));
  const path = await output.save('charts/2026/north.png', Buffer.from([0, 255]));
  expect(path).toBe(join(place.path, 'a/new/one/charts/2026/north.png'));
  expect(await readFile(path)).toEqual(Buffer.from([0, 255]));
});

it('nothing that exists is changed: a name that is taken gets a number [host/saved-files]', async () => {
  await using place = await ProgramDirectory.with({ 'a.b.csv': 'old', plain: 'old' });
  await symlink('nowhere', join(place.path, 'link'));
  const output = await OutputDirectory.open(place.path);
  const names = ['a.b.csv', 'a.b.csv', 'plain', 'link'];
  const saved: string[] = [];
  for (const name of names) saved.push(await output.save(name, X));
  expect(saved.map((path) => path.slice(place.path.length + 1))).toEqual([
    'a.b (2).csv',
    'a.b (3).csv',
    'plain (2)',
    'link (2)',
  ]);
  expect(await readFile(join(place.path, 'a.b.csv'), 'utf8')).toBe('old');
  expect(await readdir(place.path)).not.toContain('nowhere');
});

it('a name gets a number however many files have it, and none of them is changed', async () => {
  await using place = await ProgramDirectory.with({});
  const output = await OutputDirectory.open(place.path);
  for (let count = 1; count <= 150; count += 1) {
    const number = count === 1 ? '' : ` (${count})`;
    const path = await output.save('chart.png', Buffer.from(String(count)));
    expect(path).toBe(join(place.path, `chart${number}.png`));
  }
  const first = await readFile(join(place.path, 'chart.png'), 'utf8');
  const last = await readFile(join(place.path, 'chart (150).png'), 'utf8');
  expect([first, last]).toEqual(['1', '150']);
  expect(await readdir(place.path)).toHaveLength(150);
});

it('a name that its number makes too long is cut within it, at the end of a character', async () => {
  await using place = await ProgramDirectory.with({});
  const output = await OutputDirectory.open(place.path);
  const long = `x${'é'.repeat(125)}.csv`;
  const endless = `a.${'b'.repeat(253)}`;
  const saved: string[] = [];
  for (const name of [long, long, endless, endless]) saved.push(await output.save(name, X));
  for (let count = 3; count <= 10; count += 1) saved.push(await output.save(long, X));
  expect(saved.map((path) => path.slice(place.path.length + 1))).toEqual([
    long,
    `x${'é'.repeat(123)} (2).csv`,
    endless,
    `a.${'b'.repeat(249)} (2)`,
    ...[3, 4, 5, 6, 7, 8, 9].map((number) => `x${'é'.repeat(123)} (${number}).csv`),
    `x${'é'.repeat(122)} (10).csv`,
  ]);
});

it('a name that is too long with what is put in front is cut', async () => {
  await using place = await ProgramDirectory.with({});
  const output = await OutputDirectory.open(place.path);
  const hidden = `.${'é'.repeat(127)}`;
  const shown = `_.${'é'.repeat(126)}`;
  expect(await output.save(hidden, X)).toBe(join(place.path, shown));
  expect(await output.save(hidden, X)).toBe(join(place.path, `_.${'é'.repeat(124)} (2)`));
  const below = await output.save(`a/${hidden}/${hidden}`, X);
  expect(below).toBe(join(place.path, 'a', shown, shown));
});

it('no link is followed, and no name is hidden [host/saved-files]', async () => {
  await using place = await ProgramDirectory.with({ file: 'x' });
  await mkdir(join(place.path, 'other'));
  await symlink('other', join(place.path, 'link'));
  const output = await OutputDirectory.open(place.path);
  await expect(output.save('link/a', X)).rejects.toThrow(/link is not a directory/);
  await expect(output.save('file/a', X)).rejects.toThrow(/file is not a directory/);
  expect(await readdir(join(place.path, 'other'))).toEqual([]);
  const path = await output.save('.ssh/.config.txt', X);
  expect(path).toBe(join(place.path, '_.ssh/_.config.txt'));
});

it('a directory that cannot be made is an error of the command line', async () => {
  await using place = await ProgramDirectory.with({});
  await writeFile(join(place.path, 'file'), 'x');
  await expect(OutputDirectory.open(join(place.path, 'file/below'))).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('--output cannot be made'),
  });
});

import { expect, it } from 'vitest';
import { planFile } from '../../../src/orchestrator/long-text/kept-text.ts';
import type { FileEntry } from '../../../src/tools/session-files.ts';

function entry(name: string, sizeBytes: number, type: FileEntry['type'] = 'file'): FileEntry {
  return { name, type, sizeBytes, modifiedAtMs: 0 };
}

it('files are numbered from one, in the order in which they come', () => {
  expect(planFile([], 10, 100)).toEqual({ path: 'full-output/1.txt', outdated: [] });
  const entries = [entry('10.txt', 1), entry('9.txt', 1)];
  expect(planFile(entries, 10, 100)).toEqual({ path: 'full-output/11.txt', outdated: [] });
});

it('the oldest go first, until the new one has room', () => {
  const entries = [entry('1.txt', 30), entry('10.txt', 30), entry('2.txt', 30)];
  expect(planFile(entries, 40, 100)).toEqual({
    path: 'full-output/11.txt',
    outdated: ['full-output/1.txt'],
  });
  expect(planFile(entries, 100, 100).outdated).toEqual([
    'full-output/1.txt',
    'full-output/2.txt',
    'full-output/10.txt',
  ]);
});

it('there are at most a hundred, however small', () => {
  const entries = Array.from({ length: 120 }, (_, index) => entry(`${index + 1}.txt`, 1));
  const { path, outdated } = planFile(entries, 1, 1000);
  expect(path).toBe('full-output/121.txt');
  expect(outdated).toHaveLength(21);
  expect(outdated.at(-1)).toBe('full-output/21.txt');
});

it('what a program has put there is neither replaced nor removed, unless it has the name of such a file', () => {
  const entries = [
    entry('mine.txt', 1000),
    entry('007.txt', 1000),
    entry('3.txt', 1000, 'directory'),
    entry('4.txt', 1000, 'link'),
    entry('2.txt', 1000),
  ];
  expect(planFile(entries, 10, 100)).toEqual({
    path: 'full-output/5.txt',
    outdated: ['full-output/2.txt'],
  });
});

it('no file is written if a program has taken the last number', () => {
  expect(() => planFile([entry('999999999.txt', 1)], 10, 100)).toThrow(
    expect.objectContaining({ code: 'FILE_FAILED', details: { errno: 'EEXIST' } }),
  );
});

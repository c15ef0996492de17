import { expect, it } from 'vitest';
import type { OutputFile } from '../../../src/execution/files/output-files.ts';
import { RunFiles } from '../../../src/orchestrator/files/run-files.ts';

const MEBIBYTE = 1024 * 1024;

/** A file of a program. Only its size counts, so `data` says which version it is. */
function left(name: string, mebibytes: number, data = ''): OutputFile {
  return { name, mediaType: 'text/csv', sizeBytes: mebibytes * MEBIBYTE, data };
}

it('the earlier version of a file is left out too if the later one is too large', () => {
  const files = new RunFiles();
  const add = (...added: readonly OutputFile[]): void =>
    files.add({ files: added, fileProblems: [] });
  add(left('report.csv', 5, 'old'));
  add(left('table.csv', 45));
  add(left('report.csv', 6, 'new'));
  expect(files.files).toEqual([left('table.csv', 45)]);
  expect(files.problems).toEqual([
    expect.stringMatching(/^The file "report\.csv" is not among those of the run/),
  ]);
  // Its room is free again.
  add(left('other.csv', 5));
  expect(files.files).toEqual([left('table.csv', 45), left('other.csv', 5)]);
});

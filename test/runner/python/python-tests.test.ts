import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOLDEN_FRAMES_DIRECTORY } from '../../support/golden-frames.ts';

const testsDirectory = fileURLToPath(new URL('.', import.meta.url));
const runnerDirectory = fileURLToPath(new URL('../../../runner/python/', import.meta.url));
const files = (await readdir(testsDirectory, { recursive: true })).filter((path) =>
  /^test_.*\.py$/.test(basename(path)),
);
const python = process.env['SANDBOXED_PTC_TEST_PYTHON'] ?? 'python3';

/** The Python runner's own tests, which are in Python in the folders beside this file. */
describe('the Python runner', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-runner-'));
    // It is the package `ptc_runner` wherever it runs.
    await cp(runnerDirectory, join(directory, 'ptc_runner'), { recursive: true });
  });
  afterAll(async () => rm(directory, { recursive: true, force: true }));

  it.for(files)('passes %s', async (file, { signal }) => {
    const { status, report } = await runPython(
      ['-B', '-W', 'error', '-m', 'unittest', '-v', basename(file, '.py')],
      {
        PYTHONPATH: `${directory}:${join(testsDirectory, dirname(file))}`,
        GOLDEN_FRAMES: GOLDEN_FRAMES_DIRECTORY,
      },
      signal,
    );
    // The report ends so where all passed and none was skipped.
    expect(report).toMatch(/Ran [1-9]\d* tests? .*\n\nOK\n$/);
    expect(status).toBe(0);
  });
});

/** Runs Python to its end. The signal of the test kills it if it never ends. */
async function runPython(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly status: number | null; readonly report: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let report = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        report += text;
      });
    }
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, report }));
  });
}

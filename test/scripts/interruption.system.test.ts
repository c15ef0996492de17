import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { descendantsOf } from '../support/descendants.ts';

/** A file of unit tests that starts processes. */
const TESTS = 'test/languages/type-check.test.ts';

it.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends the test command with all that it started, and it says that it was interrupted',
  async (signal) => {
    const directory = mkdtempSync(join(tmpdir(), 'interruption-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const run = spawn(process.execPath, ['scripts/test/test.mjs', TESTS], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: directory },
    });
    onTestFinished(() => void run.kill('SIGKILL'));
    const output = text(run.stdout);
    const started = await untilTestsRun(run.pid ?? 0);
    run.kill(signal);
    const [status] = (await once(run, 'exit')) as [number | null];
    expect(status).toBe(1);
    // These tests need none.
    expect(await output).not.toContain('container engine');
    expect((await output).trim().split('\n').slice(-2)).toEqual([
      'interrupted: not all checks and tests ran',
      expect.stringMatching(/^\d+ passed, \d+ failed$/),
    ]);
    expect(started.filter((id) => commandLineOf(id).includes('vitest'))).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  },
);

/** Waits until a worker of vitest runs. @returns the numbers of all processes that were started by then. */
async function untilTestsRun(pid: number): Promise<number[]> {
  let started: number[] = [];
  const isRunning = (): boolean => {
    started = descendantsOf(pid).map(({ id }) => id);
    return started.some((id) => commandLineOf(id).includes('vitest/dist/workers'));
  };
  await expect.poll(isRunning).toBe(true);
  return started;
}

function commandLineOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { startTypeScript } from './typescript-process.ts';

/** Another process that does one thing after another when it is told to, until the test ends. */
export interface ToldProcess {
  /** Has it do the next thing. Returns what it answers. */
  next(): Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a file that calls `whenTold`. */
export async function startTold(file: URL, ...args: readonly string[]): Promise<ToldProcess> {
  // Its temporary files are in a directory of the test's: a process that is killed removes none.
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-told-'));
  const env = { ...process.env, TMPDIR: directory };
  const child = startTypeScript({ file, args, env });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true, force: true });
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
  await answer();
  return {
    next: async () => {
      child.kill('SIGUSR2');
      return answer();
    },
    kill: (signal) => void child.kill(signal),
  };
}

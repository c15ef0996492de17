import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { startTypeScript } from '../../support/typescript-process.ts';

const RUNNER = new URL('./run-programs.ts', import.meta.url);

/** Another process with an executor. */
export interface OtherProcess {
  /** Runs its next program, and returns the result or the error. */
  next(): Promise<unknown>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts another process that runs programs in the session of a key, one whenever it is told. */
export async function startProgramRunner(
  key: string,
  where: 'local' | 'persistent',
  ...programs: readonly string[]
): Promise<OtherProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-hand-over-'));
  const child = startTypeScript(RUNNER, key, where, directory, ...programs);
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true, force: true });
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
  await line();
  return {
    next: async () => {
      child.kill('SIGUSR2');
      return line();
    },
    kill: async (signal) => {
      child.kill(signal);
      if (signal === 'SIGKILL') await ended;
    },
  };
}

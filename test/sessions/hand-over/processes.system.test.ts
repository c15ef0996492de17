import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { NameFiles } from '../../../src/shared/held-names/name-files.ts';
import { startTold } from '../../support/told-process.ts';
import { useExecutors } from '../support.ts';

const RUNNER = new URL('./run-programs.ts', import.meta.url);
const make = useExecutors();
const PID = 'import os; print(os.getpid())';

/** The names of the files of a key. */
async function filesOf(key: string): Promise<string[]> {
  const path = (await NameFiles.of(`session/${sessionIdOf(key)}`)).path('', 'claim');
  return readdir(dirname(path)).catch(() => []);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('a key goes from process to process, also if one is slow to answer, and leaves nothing behind', async () => {
  const key = randomUUID();
  const { executor } = make();
  const other = await startTold(RUNNER, key, 'local', PID, PID);
  const pids: number[] = [];
  const note = (result: unknown): void =>
    void pids.push(Number((result as { readonly stdout: string }).stdout));
  note(await other.next());
  // The other process answers nothing while it is stopped, and does so as soon as it goes on.
  other.kill('SIGSTOP');
  const running = executor.execute(PID, { sessionKey: key, sessionWaitMs: 100_000 });
  other.kill('SIGCONT');
  note(await running);
  note(await other.next());

  other.kill('SIGSTOP');
  await expect(executor.acquire({ sessionKey: key })).rejects.toMatchObject({
    code: 'SESSION_HELD',
    message: expect.stringContaining('does not answer'),
  });
  other.kill('SIGCONT');
  const session = await executor.acquire({ sessionKey: key, sessionWaitMs: 100_000 });
  expect(session.isNew).toBe(true);
  // Each process ended its interpreter when it handed the key over.
  expect(new Set(pids).size).toBe(3);
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  await session.destroy();
  expect(await filesOf(key)).toEqual([]);
});

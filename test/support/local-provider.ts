import { setTimeout as delay } from 'node:timers/promises';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startProcess } from '../../src/sandbox/provider-kit.ts';
import { ProviderStarts } from '../../src/sandbox/provider-starts.ts';
import { throwIfAborted } from '../../src/shared/async/abort.ts';
import type {
  Availability,
  ProviderCallOptions,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../src/sandbox/provider-kit.ts';
import { localRunnerCommand } from './local-runner.ts';

/**
 * NO SANDBOX: runs programs as ordinary processes of this machine, with all its rights. It exists so
 * that the tests of everything above a provider are quick and need no engine.
 * @param python - The interpreter. @default what `SANDBOXED_PTC_TEST_PYTHON` names, else `python3`
 */
export function unisolatedLocalProvider(
  python: string = process.env['SANDBOXED_PTC_TEST_PYTHON'] ?? 'python3',
): SandboxProvider {
  const starts = new ProviderStarts('unisolated local');
  return {
    name: 'unisolated-local',
    languages: ['python', 'typescript', 'javascript', 'bash'],
    create: async (spec, { signal } = {}) =>
      starts.start(signal, async (within) => startLocally(python, spec, { signal: within })),
    probe: async ({ signal } = {}): Promise<Availability> => {
      throwIfAborted(signal);
      return { usable: true, description: `${python} without any isolation` };
    },
    close: async () => starts.close(),
  };
}

async function startLocally(
  python: string,
  spec: SandboxSpec,
  options: ProviderCallOptions | undefined,
): Promise<Sandbox> {
  const command = await localRunnerCommand(python, spec);
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-local-'));
  const removeDirectory = async (): Promise<void> => {
    // The second has the output that was too long, and is another one if temporary files are not in /tmp.
    for (const path of [directory, join('/tmp', basename(directory))])
      await rm(path, { recursive: true, force: true });
  };
  const environment = {
    PATH: process.env['PATH'],
    HOME: directory,
    OUTPUT_DIR: join(directory, 'outputs'),
  };
  try {
    const sandbox = await startProcess(command, { ...options, environment, directory });
    return {
      ...sandbox,
      async close() {
        const children = await childrenOf(sandbox.id);
        await sandbox.close();
        // The process for files may be in the midst of a write, which would make the directory again.
        while (await anyRuns(children)) await delay(5);
        await removeDirectory();
      },
    };
  } catch (error) {
    await removeDirectory();
    throw error;
  }
}

/** Ends both processes of such a sandbox as a machine does that runs out of memory: without a word. */
export async function killLocalSandbox(sandbox: Sandbox): Promise<void> {
  const { id } = sandbox;
  const children = await childrenOf(id);
  process.kill(Number(id), 'SIGKILL');
  for (const guest of children) process.kill(guest, 'SIGKILL');
}

/** None if the process has ended, or on systems that do not tell. */
async function childrenOf(id: string): Promise<readonly number[]> {
  const children = await readFile(`/proc/${id}/task/${id}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter(Boolean).map(Number);
}

async function anyRuns(processes: readonly number[]): Promise<boolean> {
  return (await Promise.all(processes.map(runs))).includes(true);
}

/** A process that has ended stays in the table until its new parent asks for its status, which can take a second. */
async function runs(id: number): Promise<boolean> {
  const status = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
  const [, state] = /\) (\w)/.exec(status) ?? [];
  return state !== undefined && !'ZX'.includes(state);
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runnerCommand, startProcess } from '../../src/sandbox/provider-kit.ts';
import type {
  Availability,
  ProviderCallOptions,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../src/sandbox/provider-kit.ts';

/**
 * NO SANDBOX: runs programs as ordinary processes of this machine, with all its rights. It exists so
 * that the tests of everything above a provider are quick and need no engine.
 * @param python - The interpreter. @default what `SANDBOXED_PTC_TEST_PYTHON` names, else `python3`
 */
export function unisolatedLocalProvider(
  python: string = process.env['SANDBOXED_PTC_TEST_PYTHON'] ?? 'python3',
): SandboxProvider {
  return {
    name: 'unisolated-local',
    languages: ['python', 'typescript', 'javascript', 'bash'],
    create: async (spec, options) => startLocally(python, spec, options),
    probe: async (): Promise<Availability> => ({
      usable: true,
      description: `${python} without any isolation`,
    }),
    close: async () => {},
  };
}

async function startLocally(
  python: string,
  spec: SandboxSpec,
  options: ProviderCallOptions | undefined,
): Promise<Sandbox> {
  const [, ...runner] = await runnerCommand(spec);
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-local-'));
  const removeDirectory = async (): Promise<void> =>
    rm(directory, { recursive: true, force: true });
  const environment = {
    PATH: process.env['PATH'],
    HOME: directory,
    OUTPUT_DIR: join(directory, 'outputs'),
  };
  try {
    const command = [python, ...runner.map((part) => withOwnOutput(part, basename(directory)))];
    const sandbox = await startProcess(command, { ...options, environment, directory });
    return {
      ...sandbox,
      async close() {
        await sandbox.close();
        await removeDirectory();
      },
    };
  } catch (error) {
    await removeDirectory();
    throw error;
  }
}

const PARTS_OF = 'parts = _below_root(path, path)\n';

/**
 * Gives the source of the runner a directory of its own for output that was too long: sandboxes of
 * this provider share `/tmp`. Their programs do not find it.
 */
function withOwnOutput(source: string, directory: string): string {
  const redirect = `if parts[:1] == ["full-output"]: parts = [${JSON.stringify(directory)}, *parts]`;
  return source.replace(PARTS_OF, `${PARTS_OF}    ${redirect}\n`);
}

/** Ends both processes of such a sandbox as a machine does that runs out of memory: without a word. */
export async function killLocalSandbox(sandbox: Sandbox): Promise<void> {
  const { id } = sandbox;
  const children = await readFile(`/proc/${id}/task/${id}/children`, 'utf8');
  process.kill(Number(id), 'SIGKILL');
  for (const guest of children.split(' ').filter(Boolean)) process.kill(Number(guest), 'SIGKILL');
}

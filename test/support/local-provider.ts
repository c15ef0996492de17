import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamTransport } from '../../src/protocol/stream-transport.ts';
import { readRunnerSource, runnerCommand } from '../../src/sandbox/runner-command.ts';
import type {
  Availability,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../src/sandbox/sandbox.ts';
import { PtcError } from '../../src/shared/errors.ts';

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
    create: async (spec) => startProcess(python, spec),
    probe: async (): Promise<Availability> => ({
      usable: true,
      description: `${python} without any isolation`,
    }),
    close: async () => {},
  };
}

async function startProcess(python: string, spec: SandboxSpec): Promise<Sandbox> {
  const [, ...command] = runnerCommand(await readRunnerSource(), spec);
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-local-'));
  const child = spawn(python, command, {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory },
  });
  const ended = once(child, 'close').catch(() => {});
  const transport = connect(child);
  return {
    id: String(child.pid),
    transport,
    async close() {
      // The supervisor ends its guest when its input ends.
      transport.destroy();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function connect(child: ChildProcessWithoutNullStreams): StreamTransport {
  const transport = new StreamTransport({
    stdin: child.stdin,
    sources: [child.stdout, child.stderr],
    destroy: () => child.stdin.destroy(),
  });
  child.stdout.on('data', (chunk: Buffer) => transport.receive('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => transport.receive('stderr', chunk));
  child.once('error', (cause) => {
    transport.end(new PtcError('SANDBOX_START_FAILED', cause.message, { cause }));
  });
  child.once('close', () => transport.end(undefined));
  return transport;
}

/** Ends both processes of such a sandbox as a machine does that runs out of memory: without a word. */
export async function killLocalSandbox(sandbox: Sandbox): Promise<void> {
  const { id } = sandbox;
  const children = await readFile(`/proc/${id}/task/${id}/children`, 'utf8');
  process.kill(Number(id), 'SIGKILL');
  for (const guest of children.split(' ').filter(Boolean)) process.kill(Number(guest), 'SIGKILL');
}

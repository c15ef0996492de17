import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { findEmbeddedPackages } from '../../src/providers/embedded/embedded-packages.ts';
import { CLI, type Finished, requireBuild, StartedProcess } from '../support/built-package.ts';
import { IN_ALL_COMBINATIONS } from '../support/scope.ts';
import { skippedFor } from '../support/skipped.ts';

/** Bun's package for this platform has nothing but the program. */
const BUN = `@oven/bun-${process.platform}-${process.arch}`;
const BUN_VERSION = '1.4.5';

let directory: string | undefined;
afterAll(async () => {
  if (directory !== undefined) await rm(directory, { recursive: true });
});

/** Each returns the command that starts a script. */
const COMMANDS = {
  Deno: async (): Promise<readonly string[]> => {
    const packages = findEmbeddedPackages();
    if ('reason' in packages) throw new Error(packages.reason);
    return [packages.denoPath, 'run', '--allow-all'];
  },
  Bun: async (): Promise<readonly string[]> => {
    if (directory === undefined) {
      directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-bun-'));
      const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
      const install = ['install', ...options, '--prefix', directory, `${BUN}@${BUN_VERSION}`];
      await promisify(execFile)('npm', install);
    }
    return [join(directory, 'node_modules', BUN, 'bin/bun')];
  },
};

describe.each([
  { host: 'Deno', reason: undefined },
  { host: 'Bun', reason: IN_ALL_COMBINATIONS ? undefined : 'only npm run test:all downloads Bun' },
] as const)('with $host as the host', ({ host, reason }) => {
  /** Runs a program from standard input in a sandbox. */
  async function run(provider: string, program: string): Promise<Finished> {
    requireBuild();
    const [file = '', ...args] = await COMMANDS[host]();
    const command = [...args, CLI, 'exec', '--provider', provider, '-'];
    const started = new StartedProcess(file, command);
    started.child.stdin.end(program);
    return started.finished();
  }

  it.each(['docker', 'embedded'])(
    'sandboxes of %s run programs',
    skippedFor(reason),
    async (provider) => {
      expect(await run(provider, 'x = 6 * 7\nprint(x)')).toEqual({
        status: 0,
        stdout: '42\n',
        stderr: '',
      });
    },
  );

  it('bubblewrap is refused, with what to use instead', skippedFor(reason), async () => {
    const { status, stdout, stderr } = await run('bubblewrap', 'print(6 * 7)');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `Bubblewrap cannot be used: ${host} cannot open the pipes of its sandboxes. Use the Docker or the embedded provider with ${host}`,
    );
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { findEmbeddedPackages } from '../../src/providers/embedded/embedded-packages.ts';
import { CLI, type Finished, requireBuild, StartedProcess } from '../support/built-package.ts';
import { describeWithEngine } from '../support/engine.ts';
import { IN_ALL_COMBINATIONS } from '../support/scope.ts';
import { skippedFor } from '../support/skipped.ts';
import { ProgramDirectory } from './support.ts';

/** Bun's package for this platform has nothing but the program. */
const BUN = `@oven/bun-${process.platform}-${process.arch}`;
const BUN_VERSION = '1.4.5';

let directory: string | undefined;
afterAll(async () => {
  if (directory !== undefined) await rm(directory, { recursive: true });
});

function denoPath(): string {
  const packages = findEmbeddedPackages();
  if ('reason' in packages) throw new Error(packages.reason);
  return packages.denoPath;
}

/** Each returns the command that starts a script. */
const COMMANDS = {
  Deno: async (): Promise<readonly string[]> => [denoPath(), 'run', '--allow-all'],
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

  const PROGRAM = 'x = 6 * 7\nprint(x)';
  const PRINTED = { status: 0, stdout: '42\n', stderr: '' };

  it('sandboxes of embedded run programs', skippedFor(reason), async () => {
    expect(await run('embedded', PROGRAM)).toEqual(PRINTED);
  });

  describeWithEngine('and a container engine', () => {
    it('sandboxes of docker run programs', skippedFor(reason), async () => {
      expect(await run('docker', PROGRAM)).toEqual(PRINTED);
    });
  });

  it('bubblewrap is refused, with what to use instead', skippedFor(reason), async () => {
    const { status, stdout, stderr } = await run('bubblewrap', 'print(6 * 7)');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `Bubblewrap cannot be used: ${host} cannot open the pipes of its sandboxes. Use the Docker or the embedded provider with ${host}`,
    );
  });
});

const dist = (file: string): string => JSON.stringify(pathToFileURL(resolve('dist', file)).href);

/** A conversation whose program calls a tool in an embedded sandbox. */
const CONVERSATION = `
import { ProgrammaticToolOrchestrator, scriptedModel } from ${dist('index.js')};
import { embeddedProvider } from ${dist('providers/embedded/index.js')};
const run = { type: 'tool-use', id: '1', name: 'execute_code', input: { code: 'print(await six() * 7)' } };
const orchestrator = new ProgrammaticToolOrchestrator({
  model: scriptedModel([[run], [{ type: 'text', text: 'Done.' }]]),
  executor: { provider: embeddedProvider() },
  tools: [{ name: 'six', description: 'Six.', run: () => 6 }],
});
await orchestrator.run('Go.');
console.log(orchestrator.messages[2].content[0].text.trim());
await orchestrator.close();
`;

describe('Deno with the permissions that the documentation lists', () => {
  async function permissions(): Promise<string[]> {
    const page = await readFile(resolve('docs/sandboxes.md'), 'utf8');
    const [, listed = ''] = /^deno run (--allow-read .*) app\.mjs$/m.exec(page) ?? [];
    return listed.split(' ');
  }

  async function runWith(given: readonly string[]): Promise<Finished> {
    requireBuild();
    await using app = await ProgramDirectory.with({
      'package.json': '{ "type": "module" }',
      'app.mjs': CONVERSATION,
    });
    const command = ['run', '--no-prompt', ...given, join(app.path, 'app.mjs')];
    const started = new StartedProcess(denoPath(), command, { env: { NO_COLOR: '1' } });
    return await started.finished();
  }

  it('runs a conversation in the embedded sandbox', async () => {
    const { status, stdout, stderr } = await runWith(await permissions());
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '42\n', stderr: '' });
  });

  it.each(['read', 'env', 'write', 'net', 'run', 'sys'])('needs --allow-%s', async (name) => {
    const all = await permissions();
    const given = all.filter((one) => !one.startsWith(`--allow-${name}`));
    expect(given).toHaveLength(all.length - 1);
    const { status, stdout, stderr } = await runWith(given);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`Requires ${name} access`);
    if (name !== 'read') return;
    expect(stderr).toMatch(
      /sandboxed-ptc cannot read its package\.json: Requires read access to .* Run Deno with --allow-read, and the other permissions that docs\/sandboxes\.md lists\./,
    );
  });
});

import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

const NODE = execFileSync('sh', ['-c', 'command -v node'], { encoding: 'utf8' }).trim();
const OPTIONS = ['--permission', '--experimental-permission'] as const;

/** The name that the Node of this machine has for it; that of one in the midst has both. */
const OWN = OPTIONS.find((option) => {
  try {
    return execFileSync(NODE, [option, '--version'], { stdio: 'pipe' });
  } catch {
    return false;
  }
});

let directory: string | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  if (directory !== undefined) await rm(directory, { recursive: true });
});

/** A double for other versions of Node, which cannot be had here: it knows one name of the permission model only. */
async function useNodeThatKnows(known: string): Promise<void> {
  const unknown = OPTIONS.find((option) => option !== known);
  directory = await mkdtemp(join(tmpdir(), 'node-'));
  const file = join(directory, 'node');
  await writeFile(
    file,
    `#!/bin/sh
first=$1
[ "$first" = ${unknown} ] && exit 9
[ "$first" = ${known} ] && first=${OWN}
shift
exec ${NODE} "$first" "$@"
`,
  );
  await chmod(file, 0o755);
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`);
}

it.each(OPTIONS)(
  'the permission model is on in a Node that calls it %s [supervisor/permission-model]',
  async (known) => {
    await useNodeThatKnows(known);
    await using executor = new SandboxExecutor({
      provider: unisolatedLocalProvider(),
      languages: ['javascript'],
    });
    const code =
      "try { require('node:child_process').execSync('true') } catch ({ code }) { console.log(code) }";
    expect(await executor.execute(code)).toMatchObject({ stdout: 'ERR_ACCESS_DENIED\n' });
  },
);

it('a sandbox without Node says that it has none', async () => {
  directory = await mkdtemp(join(tmpdir(), 'no-node-'));
  const tell = ['-c', 'import sys; print(sys.executable)'];
  const python = execFileSync('python3', tell, { encoding: 'utf8' }).trim();
  vi.stubEnv('PATH', directory);
  await using executor = new SandboxExecutor({
    provider: unisolatedLocalProvider(python),
    languages: ['python', 'javascript'],
  });
  const { status, error } = await executor.execute('1', { language: 'javascript' });
  expect([status, error?.message]).toEqual(['error', expect.stringContaining('javascript')]);
});

import { chmod } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { NO_ROOT, skippedFor } from '../support/skipped.ts';
import { CLI, type Finished, StartedProcess } from '../support/built-package.ts';
import { ProgramDirectory } from './support.ts';

const FILES = {
  'a.py': 'print(1)',
  'mcp.json': JSON.stringify({ mcpServers: { who: { url: 'http://127.0.0.1:9/mcp' } } }),
};

/** `exec` as a user whom the system does not know, and without HOME. */
async function execWithoutHome(args: readonly string[]): Promise<Finished> {
  await using directory = await ProgramDirectory.with(FILES);
  await chmod(directory.path, 0o755);
  const user = ['--reuid=54321', '--regid=54321', '--clear-groups', process.execPath];
  const env = { HOME: undefined, XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined };
  const command = [...user, CLI, 'exec', ...args];
  return await new StartedProcess('setpriv', command, { cwd: directory.path, env }).finished();
}

it.each(['auto', 'embedded'])(
  'runs programs for a user without a home directory: %s',
  skippedFor(NO_ROOT),
  async (provider) => {
    const { status, stdout } = await execWithoutHome(['--provider', provider, 'a.py']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '1\n' });
  },
);

it('says that a login needs a home directory', skippedFor(NO_ROOT), async () => {
  const { status, stderr } = await execWithoutHome(['--mcp', 'mcp.json', 'a.py']);
  expect(status).toBe(2);
  expect(stderr).toContain('this user has no home directory. Set HOME or XDG_CONFIG_HOME');
});

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { leakyProvider, runContractTest } from './leaky-provider.ts';

const TITLE = 'a file in /tmp is there for no other session';

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-shared-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  return directory;
}

/** Whose `/tmp` is a directory of the host. */
const withDirectory = (directory: string): SandboxProvider =>
  leakyProvider({ options: ['--bind', directory, '/tmp'] });

describeWithBubblewrap('the contract suite finds a provider whose sandboxes', () => {
  it('share /tmp, and removes its file', async () => {
    const directory = await makeDirectory();
    const provider = () => withDirectory(directory);
    await expect(runContractTest(TITLE, { language: 'python', provider })).rejects.toThrow(
      'Another session sees the file.',
    );
    expect((await readdir(directory)).filter((name) => name.startsWith('contract.'))).toEqual([]);
  });

  it('get the /tmp of one that has ended', async () => {
    const free: string[] = [];
    const create: SandboxProvider['create'] = async (...args) => {
      const directory = free.pop() ?? (await makeDirectory());
      const sandbox = await withDirectory(directory).create(...args);
      return {
        ...sandbox,
        close: async () => {
          await sandbox.close();
          free.push(directory);
        },
      };
    };
    const provider = () => ({ ...leakyProvider({}), create });
    await expect(runContractTest(TITLE, { language: 'python', provider })).rejects.toThrow(
      'A later session sees the file.',
    );
  });
});

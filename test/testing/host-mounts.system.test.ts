import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import type { LanguageName } from '../../src/protocol/messages.ts';
import {
  runnerCommand,
  startProcess,
  type SandboxProvider,
} from '../../src/sandbox/provider-kit.ts';
import { contractSuite } from '../../src/testing/index.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

/** Sandboxes with a root and a `/tmp` of their own, and with this directory of the host at a place of its own. */
function leavingMount(directory: string, place: string): SandboxProvider {
  const isolation = ['bwrap', '--unshare-all', '--die-with-parent', '--ro-bind', '/usr', '/usr'];
  const links = ['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => [
    ...['--symlink', `usr/${name}`, `/${name}`],
  ]);
  const files = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
  const left = ['--ro-bind', directory, place, '--'];
  return {
    ...unisolatedLocalProvider(),
    create: async (spec, options) => {
      const command = [...isolation, ...links, ...files, ...left, ...(await runnerCommand(spec))];
      const environment = { PATH: process.env['PATH'] };
      return startProcess(command, { ...options, environment, directory: '/' });
    },
  };
}

describeWithBubblewrap('the contract suite finds a provider that leaves', () => {
  const languages: readonly LanguageName[] = ['python', 'javascript', 'bash'];

  it.each(
    languages.flatMap((language) => [
      [language, 'the root of the host', '/', '/old'],
      [language, 'a directory of the host', tmpdir(), '/srv/deep/my files'],
    ]),
  )('%s: %s', async (language, _, directory, place) => {
    await using suite = contractSuite({
      name: 'leaving a mount',
      language,
      provider: () => leavingMount(directory, place),
    });
    const test = suite.tests.find(({ title }) => title.startsWith('a program reads no file'));
    await expect(test?.run()).rejects.toThrow('S3CRET');
  });
});

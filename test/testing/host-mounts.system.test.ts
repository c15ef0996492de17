import { tmpdir } from 'node:os';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { LanguageName } from '../../src/protocol/messages.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { NO_ROOT, skippedFor } from '../support/skipped.ts';
import { leakyProvider, runContractTest, type Leak } from './leaky-provider.ts';

const LANGUAGES: readonly LanguageName[] = ['python', 'javascript', 'bash'];

async function runTest(language: LanguageName, leak: Leak): Promise<void> {
  await runContractTest('a program reads no file', {
    language,
    provider: () => leakyProvider(leak),
  });
}

describeWithBubblewrap('the contract suite finds a provider that leaves', () => {
  it.each(
    LANGUAGES.flatMap((language) => [
      [language, 'the root of the host', '/', '/old'],
      [language, 'a directory of the host', tmpdir(), '/srv/deep/my files'],
    ]),
  )('%s: %s', async (language, _, directory, place) => {
    const options = ['--ro-bind', directory, place];
    await expect(runTest(language, { options })).rejects.toThrow('S3CRET');
  });

  it.each(LANGUAGES)(
    '%s: the root of the host, to another user',
    skippedFor(NO_ROOT),
    async (language) => {
      // The user must be able to enter the directory for temporary files, and `npm test` has one of its own.
      vi.stubEnv('TMPDIR', '/tmp');
      onTestFinished(() => void vi.unstubAllEnvs());
      const starter = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'];
      const options = ['--ro-bind', '/', '/old'];
      await expect(runTest(language, { starter, options })).rejects.toThrow('S3CRET');
    },
  );
});

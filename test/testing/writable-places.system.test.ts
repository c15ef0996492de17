import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { LanguageName } from '../../src/protocol/messages.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { leakyProvider, runContractTest } from './leaky-provider.ts';

/** Not JavaScript: the runner starts Node so that it refuses to write outside of `/tmp`, whatever the sandbox allows. */
const LANGUAGES: readonly LanguageName[] = ['python', 'bash'];

/** Sandboxes with a root that is read-only, but for what these options of bubblewrap mount. */
async function runTest(language: LanguageName, options: readonly string[]): Promise<void> {
  await runContractTest('a program cannot write to system directories', {
    language,
    provider: () => leakyProvider({ options: [...options, '--remount-ro', '/'] }),
  });
}

describeWithBubblewrap('the contract suite', () => {
  it.each(
    LANGUAGES.flatMap((language) =>
      ['/opt', '/home', '/run', '/var/tmp', '/srv/my files'].map((place) => ({
        language,
        place,
      })),
    ),
  )('finds a directory that can be written to: $language, $place', async ({ language, place }) => {
    await expect(runTest(language, ['--tmpfs', place])).rejects.toThrow(`${place}/contract`);
  });

  it.each(LANGUAGES)('finds a root that can be written to: %s', async (language) => {
    const provider = () => leakyProvider({});
    await expect(
      runContractTest('a program cannot write to system directories', { language, provider }),
    ).rejects.toThrow('/contract');
  });

  it.each(LANGUAGES)(
    'finds a file of the host that can be written to, and changes nothing: %s',
    async (language) => {
      const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-writable-'));
      onTestFinished(async () => rm(directory, { recursive: true }));
      const file = join(directory, 'a');
      await writeFile(file, 'kept');
      await expect(runTest(language, ['--bind', file, '/srv/a'])).rejects.toThrow('/srv/a');
      await expect(runTest(language, ['--bind', directory, '/srv/b'])).rejects.toThrow(
        '/srv/b/contract',
      );
      expect(await readdir(directory)).toEqual(['a']);
      expect(await readFile(file, 'utf8')).toBe('kept');
    },
  );

  it.each(LANGUAGES)(
    'finds nothing if only /tmp and /dev can be written to: %s',
    async (language) => {
      await expect(runTest(language, ['--tmpfs', '/tmp/more'])).resolves.toBeUndefined();
    },
  );
});

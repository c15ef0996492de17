import { expect, it } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { opener, testFileProcess, testHostileFiles } from '../../security/files/hostile-files.ts';
import { grown, readHostResources, untilNothingIsLeft } from '../../security/remains.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';

describeWithBubblewrap('the files of a bubblewrap sandbox', () => {
  const open = opener(() => bubblewrapProvider());
  testHostileFiles(open);
  testFileProcess(open);

  it('leave nothing behind after 200 sessions', async () => {
    const executor = new SandboxExecutor({ provider: bubblewrapProvider(), maxSandboxes: 8 });
    const useOnce = async (): Promise<void> => {
      const session = await executor.acquire();
      await session.files.write('a/b', 'x'.repeat(300_000));
      expect((await session.files.stat('a/b')).sizeBytes).toBe(300_000);
      // A transfer that is not read to its end.
      for await (const _ of session.files.stream('a/b')) break;
      await session.release();
    };
    await useOnce();
    const before = await readHostResources();
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let count = 0; count < 50; count += 1) await useOnce();
      }),
    );
    await untilNothingIsLeft(async () => grown(before, await readHostResources()));
    await executor.close();
  });
});

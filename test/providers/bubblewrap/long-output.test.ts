import { expect, it } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import * as hostile from '../../security/files/long-output.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';

describeWithBubblewrap('long output in a bubblewrap sandbox', () => {
  const open = hostile.codeToolOpener(() => bubblewrapProvider());

  it.each(['python', 'javascript', 'typescript', 'bash'] as const)(
    'of %s is whole in a file that the next program reads',
    async (language) => {
      await expect(hostile.keepWhole(open, language)).resolves.toBeUndefined();
    },
  );

  it('is cut, and the model is told why, if the program has put something else there [every/kept-output]', async () => {
    await expect(hostile.replaceDirectory(open)).resolves.toBeUndefined();
  });

  it('leaves a link in its place as it is, and what that names', async () => {
    await expect(hostile.linkFile(open)).resolves.toBeUndefined();
  });

  it('is cut if /tmp is full, and kept again later', async () => {
    await expect(hostile.fillStorage(open)).resolves.toBeUndefined();
  });

  it('takes no more than half of /tmp, and the oldest files make room [every/kept-output, waiting/long-result]', async () => {
    await expect(hostile.flood(open)).resolves.toBeUndefined();
  });

  it('is kept after a program has killed the process for files', async () => {
    await expect(hostile.killFileProcess(open)).resolves.toBeUndefined();
  });
});

import { expect, it } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import * as hostile from '../../security/files/long-output.ts';
import { describeWithEngine } from '../../support/engine.ts';

describeWithEngine('long output in a container', () => {
  const open = hostile.codeToolOpener(() => dockerProvider());

  it.each(['python', 'javascript', 'typescript', 'bash'] as const)(
    'of %s is whole in a file that the next program reads',
    async (language) => {
      await expect(hostile.keepWhole(open, language)).resolves.toBeUndefined();
    },
  );

  it('is cut, and the model is told why, if the program has put something else there [every/kept-output]', async () => {
    await expect(hostile.replaceDirectory(open)).resolves.toBeUndefined();
  });

  it('takes no more than half of /tmp, and the oldest files make room [every/kept-output, waiting/long-result]', async () => {
    await expect(hostile.flood(open)).resolves.toBeUndefined();
  });
});

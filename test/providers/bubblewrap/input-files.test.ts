import { expect, it } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { itGivesFiles, replaceInputs } from '../../orchestrator/files/sandbox-cases.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { executorFor } from '../../support/executor-for.ts';

describeWithBubblewrap('files of a run in a bubblewrap sandbox', () => {
  itGivesFiles(() => bubblewrapProvider());

  it('are written nowhere else if a program puts a link or a file in their place [every/input-files-beneath]', async () => {
    const executor = executorFor(bubblewrapProvider(), { languages: ['python'] });
    await expect(replaceInputs(executor)).resolves.toBeUndefined();
  });
});

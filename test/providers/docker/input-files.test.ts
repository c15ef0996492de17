import { expect, it } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { itGivesFiles, replaceInputs } from '../../orchestrator/files/sandbox-cases.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { executorFor } from '../../support/executor-for.ts';

describeWithEngine('files of a run in a container', () => {
  itGivesFiles(() => dockerProvider());

  it('are written nowhere else if a program puts a link or a file in their place [every/input-files-beneath]', async () => {
    const executor = executorFor(dockerProvider(), { languages: ['python'] });
    await expect(replaceInputs(executor)).resolves.toBeUndefined();
  });
});

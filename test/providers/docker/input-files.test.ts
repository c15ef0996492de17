import { expect, it } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { itGivesFiles, replaceInputs } from '../../orchestrator/files/sandbox-cases.ts';
import { describeWithEngine } from '../../support/engine.ts';

describeWithEngine('files of a run in a container', () => {
  itGivesFiles(() => dockerProvider());

  it('are written nowhere else if a program puts a link or a file in their place [every/input-files-beneath]', async () => {
    const executor = new SandboxExecutor({ provider: dockerProvider(), languages: ['python'] });
    await expect(replaceInputs(executor)).resolves.toBeUndefined();
  });
});

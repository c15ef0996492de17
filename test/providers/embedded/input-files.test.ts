import { describe, expect, it } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { itGivesFiles, replaceInputs } from '../../orchestrator/files/sandbox-cases.ts';
import { executorFor } from '../../support/executor-for.ts';

describe('files of a run in the embedded sandbox', () => {
  itGivesFiles(() => embeddedProvider());

  it('are written nowhere else if a program puts a link or a file in their place [every/input-files-beneath]', async () => {
    const executor = executorFor(embeddedProvider(), { languages: ['python'] });
    await expect(replaceInputs(executor)).resolves.toBeUndefined();
  });
});

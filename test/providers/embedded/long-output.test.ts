import { expect, it, describe } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import * as hostile from '../../security/files/long-output.ts';

describe('long output in an embedded sandbox', () => {
  const open = hostile.codeToolOpener(() => embeddedProvider());

  it('of Python is whole in a file that the next program reads', async () => {
    await expect(hostile.keepWhole(open, 'python')).resolves.toBeUndefined();
  });

  it('is cut, and the model is told why, if the program has put something else there [every/kept-output]', async () => {
    await expect(hostile.replaceDirectory(open)).resolves.toBeUndefined();
  });

  it('is cut if /tmp is full, and kept again later', async () => {
    await expect(hostile.fillStorage(open)).resolves.toBeUndefined();
  });

  it('takes no more than half of /tmp, and the oldest files make room [every/kept-output, waiting/long-result]', async () => {
    await expect(hostile.flood(open)).resolves.toBeUndefined();
  });

  it('is cut without Python, which has the files', async () => {
    await using executor = new SandboxExecutor({
      provider: embeddedProvider(),
      languages: ['typescript'],
    });
    const tool = codeTool({ executor });
    const { text, result } = await tool.execute({ code: 'console.log("x".repeat(100_000))' });
    expect(result).toMatchObject({ status: 'ok', sessionOpen: true });
    expect(text).toContain('They are lost, because this sandbox has no files.');
  });
});

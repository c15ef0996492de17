import { expect, onTestFinished, test } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../../support/engine.ts';

describeWithEngine('the Docker provider', () => {
  test('tells the interpreters of its image, asks the image once', async () => {
    const provider = dockerProvider();
    const executor = new SandboxExecutor({ provider, languages: ['python', 'javascript'] });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
    });
    await executor.warmUp();
    const { software } = executor;
    const python = await executor.execute('import platform\nplatform.python_version()');
    expect(software?.python).toEqual({ name: 'Python', version: python.value, libraries: [] });
    const node = await executor.execute('process.version', { language: 'javascript' });
    expect(`v${software?.javascript?.version}`).toBe(node.value);
    expect(software?.bash?.version).toMatch(/^5\./);

    const other = dockerProvider();
    onTestFinished(async () => other.close());
    expect(await other.software?.()).toBe(software);
  });
});

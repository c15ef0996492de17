import { expect, onTestFinished, test } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';

describeWithBubblewrap('bubblewrap', () => {
  test('tells the interpreters and libraries that programs find', async () => {
    const provider = bubblewrapProvider();
    const executor = new SandboxExecutor({
      provider,
      languages: ['python', 'javascript', 'bash'],
    });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
    });
    await executor.warmUp();
    const { software } = executor;
    const libraries = Object.fromEntries(
      software?.python?.libraries?.map(({ name, version }) => [name, version]) ?? [],
    );
    const { value } = await executor.execute(
      `import sys
from importlib import metadata
names = ${JSON.stringify(Object.keys(libraries))}
["%d.%d.%d" % sys.version_info[:3], {name: metadata.version(name) for name in names}]`,
    );
    expect(value).toEqual([software?.python?.version, libraries]);
    const node = await executor.execute('process.version', { language: 'javascript' });
    expect(node.value).toBe(`v${software?.javascript?.version}`);
    const bash = await executor.execute('echo $BASH_VERSION', { language: 'bash' });
    expect(bash.stdout).toContain(software?.bash?.version);
    // Asked once in a process, also by another provider.
    const other = bubblewrapProvider();
    onTestFinished(async () => other.close());
    expect(await other.software?.()).toBe(software);
  });
});

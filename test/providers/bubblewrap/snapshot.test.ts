import { expect, onTestFinished, test } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';

/** Whether it was started from a snapshot. */
const HOW = 'process.execArgv.includes("--snapshot-blob")';
/** What a program with the rights of the guest can do to its files. */
const ATTACK = `import os
done = []
for directory, _, names in os.walk("/opt/sandboxed-ptc"):
    for path in [os.path.join(directory, name) for name in names]:
        for attempt in (lambda: open(path, "r+"), lambda: os.chmod(path, 0o777), lambda: os.remove(path)):
            try:
                attempt()
                done.append(path)
            except OSError:
                pass
        print(os.path.basename(path))
print(done)`;

describeWithBubblewrap('a bubblewrap sandbox for JavaScript', () => {
  test('starts from a snapshot after the first ones, which no program can change [bubblewrap/node-files]', async () => {
    const sandbox = bubblewrapProvider();
    const executor = new SandboxExecutor({
      provider: sandbox,
      languages: ['javascript', 'python'],
    });
    onTestFinished(async () => {
      await executor.close();
      await sandbox.close();
    });
    expect((await executor.execute(HOW)).stdout).toBe('false\n');
    // It is made beside those that start meanwhile.
    await expect.poll(async () => (await executor.execute(HOW)).stdout).toBe('true\n');
    const { stdout, stderr } = await executor.execute(ATTACK, { language: 'python' });
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    expect(lines.slice(0, -1).sort()).toEqual([
      '256.snapshot',
      'guest.cjs',
      'snapshot.cjs',
      'start.sh',
    ]);
    expect(lines.at(-1)).toBe('[]');
  });
});

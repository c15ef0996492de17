import { expect, it, onTestFinished } from 'vitest';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';

describeWithBubblewrap('two tenants of an executor', () => {
  it('have their turns, although one of them sends many programs first', async () => {
    const opened: (string | undefined)[] = [];
    const executor = new SandboxExecutor({
      provider: 'bubblewrap',
      maxSandboxes: 1,
      fairBy: 'tenant',
      onExecutorEvent: (event) => {
        if (event.type === 'session-opened') opened.push(event.labels['tenant']);
      },
    });
    onTestFinished(async () => executor.close());
    const first = await executor.acquire({ labels: { tenant: 'flooding' } });
    const run = async (tenant: string): Promise<string> =>
      (await executor.execute(`print("${tenant}")`, { labels: { tenant } })).stdout;
    const flood = Array.from({ length: 5 }, () => run('flooding'));
    await expect.poll(() => executor.stats().waiting).toBe(5);
    const honest = Array.from({ length: 2 }, () => run('honest'));
    await expect.poll(() => executor.stats().waiting).toBe(7);
    await first.release();
    expect(await Promise.all(honest)).toEqual(['honest\n', 'honest\n']);
    expect(await Promise.all(flood)).toEqual(Array(5).fill('flooding\n'));
    expect(opened.slice(1, 5)).toEqual(['flooding', 'honest', 'flooding', 'honest']);
  });
});

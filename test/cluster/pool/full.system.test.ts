import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { install } from '../installed.ts';

const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);

describeWithEngine('a namespace whose quota is used up', () => {
  async function fullNamespace(): Promise<string> {
    vi.stubEnv('KUBECONFIG', kubeconfig);
    const { namespace, remove } = await install(admin, { image, sandboxes: 1 });
    onTestFinished(async () => {
      await remove();
      vi.unstubAllEnvs();
    });
    return namespace;
  }

  it('has a program wait for a session to end, whose host may be another', async () => {
    const namespace = await fullNamespace();
    const [one, two] = [kubernetesProvider({ namespace }), kubernetesProvider({ namespace })];
    const first = new SandboxExecutor({ provider: one });
    const second = new SandboxExecutor({ provider: two });
    onTestFinished(async () => {
      for (const executor of [first, second]) await executor.close();
      for (const provider of [one, two]) await provider.close();
    });
    const session = await first.acquire({});
    const waiting = second.execute('print(6 * 7)');
    const isEarly = waiting.then((result) => {
      throw new Error(`The program did not wait: ${JSON.stringify(result)}`);
    });
    const untilItWaits = async (): Promise<void> => {
      await expect.poll(() => second.stats().waiting).toBe(1);
    };
    await Promise.race([untilItWaits(), isEarly]);
    await session.destroy();
    expect(await waiting).toMatchObject({ stdout: '42\n' });
  });

  it('refuses a session in the words of the cluster, or ends an idle one, as whenFull says', async () => {
    const namespace = await fullNamespace();
    const provider = kubernetesProvider({ namespace });
    const strict = new SandboxExecutor({ provider, whenFull: { action: 'reject' } });
    const lenient = new SandboxExecutor({ provider, whenFull: { action: 'evict' } });
    onTestFinished(async () => {
      await lenient.close();
      await strict.close();
      await provider.close();
    });
    const session = await lenient.acquire({ sessionKey: 'idle' });
    await session.release();
    await expect(strict.execute('1')).rejects.toMatchObject({
      code: 'SANDBOX_LIMIT',
      message: expect.stringContaining('exceeded quota: sandboxed-ptc'),
    });
    expect(await lenient.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    expect(await session.closing).toBe('evicted');
  });
});

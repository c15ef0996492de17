import { expect, inject, it } from 'vitest';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { useNamespace } from './installed.ts';

const { kubeconfig } = inject('cluster');
const admin = new ClusterApi(kubeconfig);

describeWithEngine('sandboxes in a cluster', () => {
  const namespaceOf = useNamespace();

  it('run programs, and are gone when they are closed', async () => {
    const provider = kubernetesProvider({ namespace: namespaceOf() });
    const executor = new SandboxExecutor({ provider });
    const session = await executor.acquire({});
    const result = await session.execute('print(6 * 7)');
    expect(result).toMatchObject({ status: 'ok', stdout: '42\n', stderr: '' });
    // Their host lives, so nobody removes them.
    const [found, ...others] = (await provider.findSandboxes?.()) ?? [];
    expect([found, others]).toMatchObject([{ state: 'Running', verdict: 'live' }, []]);
    expect(await provider.removeOrphans?.()).toEqual([]);
    await executor.close();
    await provider.close();
    const pods = `/api/v1/namespaces/${namespaceOf()}/pods`;
    expect(await admin.send('GET', pods)).toMatchObject({ items: [] });
  });
});

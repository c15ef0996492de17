import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import type { Pod } from '../../src/providers/kubernetes/pod/pod-types.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { install, type Installed } from './installed.ts';
import { type KeyHost, startHost } from './keys/key-hosts.ts';

const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);

describeWithEngine('whoever looks after a host was killed', () => {
  let installed: Installed;
  let killed: KeyHost;
  let living: KeyHost;

  beforeAll(async () => {
    vi.stubEnv('KUBECONFIG', kubeconfig);
    installed = await install(admin, { image });
    const { namespace } = installed;
    [killed, living] = await Promise.all([
      startHost('http://killed', kubeconfig, { namespace }),
      startHost('http://living', kubeconfig, { namespace }),
    ]);
  });
  afterAll(async () => {
    await living.end();
    await installed.remove();
    vi.unstubAllEnvs();
  });

  it('removes the Leases and the pods that have not started, of this host only', async () => {
    const [key, kept] = [randomUUID(), randomUUID()];
    const { namespace } = installed;
    await killed.tell('acquire', { key });
    await living.tell('acquire', { key: kept });
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const owned = ((await admin.send('GET', pods)) as { items: Pod[] }).items;
    // For each of both hosts one that does not start.
    const waits = owned.map(({ metadata: { labels, annotations }, spec }) => ({
      metadata: { name: `pod-${randomUUID()}`, labels, annotations },
      spec: { ...spec, nodeName: undefined, nodeSelector: { pool: 'none' } },
    }));
    for (const pod of waits) await admin.send('POST', pods, pod);
    await killed.end();
    const provider = kubernetesProvider({ namespace });
    onTestFinished(async () => provider.close());
    const ownerOf = (name: string | undefined): unknown =>
      waits.find(({ metadata }) => metadata.name === name)?.metadata.annotations;
    const removed = (await provider.removeOrphans?.()) ?? [];
    expect(removed).toMatchObject([{ verdict: 'orphan', state: 'Pending' }]);
    const [orphan] = removed;
    expect(ownerOf(orphan?.id)).toMatchObject({
      'sandboxed-ptc.owner': expect.stringContaining(`/${orphan?.owner?.processId}/`),
    });
    // The key of the host that was killed is gone with its Lease; the other host has both.
    const left = async (): Promise<number> =>
      ((await admin.send('GET', leases)) as { items: unknown[] }).items.length;
    await expect.poll(left).toBe(2);
    expect(await living.tell('execute', { key: kept, code: 'print(1)' })).toMatchObject({
      stdout: '1\n',
    });
    for (const { metadata } of waits) await admin.request('DELETE', `${pods}/${metadata.name}`);
    await living.tell('destroy', { key: kept });
  });
});

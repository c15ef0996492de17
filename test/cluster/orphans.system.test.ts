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
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const podsNow = async (): Promise<readonly Pod[]> =>
      ((await admin.send('GET', pods)) as { items: Pod[] }).items;
    /** Has a host acquire a session, and gives it another pod, which does not start. @returns its name. */
    const acquire = async (host: KeyHost, sessionKey: string): Promise<string> => {
      const before = new Set((await podsNow()).map(({ metadata }) => metadata.uid));
      await host.tell('acquire', { key: sessionKey });
      const made = (await podsNow()).find(({ metadata }) => !before.has(metadata.uid));
      const { labels, annotations } = made?.metadata ?? {};
      const spec = { ...made?.spec, nodeName: undefined, nodeSelector: { pool: 'none' } };
      const name = `pod-${randomUUID()}`;
      await admin.send('POST', pods, { metadata: { name, labels, annotations }, spec });
      return name;
    };
    const orphan = await acquire(killed, key);
    const waiting = await acquire(living, kept);
    await killed.end();
    const provider = kubernetesProvider({ namespace });
    onTestFinished(async () => provider.close());
    const removed = (await provider.removeOrphans?.()) ?? [];
    // The other host may have removed it first. The pod of the session may have ended by now.
    for (const found of removed.filter(({ state }) => state === 'Pending')) {
      expect(found).toMatchObject({ id: orphan, verdict: 'orphan' });
    }
    const names = async (): Promise<readonly string[]> =>
      (await podsNow()).map(({ metadata }) => metadata.name);
    await expect.poll(names).not.toContain(orphan);
    expect(await names()).toContain(waiting);
    // The key of the host that was killed is gone with its Lease; the other host has both.
    const left = async (): Promise<number> =>
      ((await admin.send('GET', leases)) as { items: unknown[] }).items.length;
    await expect.poll(left).toBe(2);
    expect(await living.tell('execute', { key: kept, code: 'print(1)' })).toMatchObject({
      stdout: '1\n',
    });
    await admin.send('DELETE', `${pods}/${waiting}`);
    await living.tell('destroy', { key: kept });
  });
});

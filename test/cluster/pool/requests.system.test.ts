import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { LeaseKeys } from '../../../src/providers/kubernetes/keys/lease-keys.ts';
import { readTemplate } from '../../../src/providers/kubernetes/pod/read-template.ts';
import { PodPool } from '../../../src/providers/kubernetes/pool/pod-pool.ts';
import { readGuests } from '../../../src/sandbox/guests/guests.ts';
import type { HeldKey } from '../../../src/sandbox/keys/keys.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { install } from '../installed.ts';
import { type KeyHost, startHost } from '../keys/key-hosts.ts';
import { useSentRequests } from '../sent-requests.ts';
import { untilReady } from './pool.ts';

const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const requests = useSentRequests();

describeWithEngine('a host with a pool', () => {
  beforeAll(() => {
    vi.stubEnv('KUBECONFIG', kubeconfig);
    return () => void vi.unstubAllEnvs();
  });

  async function installPool(): Promise<string> {
    const { namespace, remove } = await install(admin, { image, pool: 1 });
    onTestFinished(remove);
    return namespace;
  }

  /** Another host, which keeps the pool. */
  async function startKeeper(namespace: string): Promise<KeyHost> {
    const keeper = await startHost('http://keeper', kubeconfig, { namespace });
    await keeper.tell('acquire', { key: 'first' });
    await keeper.tell('destroy', { key: 'first' });
    await untilReady(admin, namespace, 1);
    return keeper;
  }

  it('sends four requests for a session, and two more for its key', async () => {
    const namespace = await installPool();
    const keeper = await startKeeper(namespace);
    const provider = kubernetesProvider({ namespace });
    const executor = new SandboxExecutor({ provider });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
      await keeper.end();
    });
    const use = async (sessionKey?: string): Promise<readonly string[]> => {
      await untilReady(admin, namespace, 1);
      requests.take();
      const session = await executor.acquire(sessionKey === undefined ? {} : { sessionKey });
      expect(await session.execute('print(1)')).toMatchObject({ stdout: '1\n' });
      await session.destroy();
      return requests
        .take()
        .map((request) => request.replace(/\?.*/, '').replace(/sandbox-[\da-f-]{36}/, 'POD'));
    };
    // The first session and the first key begin to follow what they need.
    await use();
    await use('first');
    const path = `/api/v1/namespaces/${namespace}`;
    const session = [
      `GET ${path}/podtemplates/sandboxed-ptc`,
      `PATCH ${path}/pods/POD`,
      `GET ${path}/pods/POD/exec`,
      `DELETE ${path}/pods/POD`,
    ];
    const isRenewal = (request: string): boolean => request.includes('/leases/sandboxed-ptc-host-');
    expect((await use()).filter((request) => !isRenewal(request))).toEqual(session);
    const withKey = await use('second');
    expect(withKey).toEqual(expect.arrayContaining(session));
    const ofKey = withKey.filter((request) => request.includes('/leases'));
    // A renewal of its own Lease may come between.
    const once = ofKey.filter((request) => !request.startsWith('PATCH'));
    expect(once.map((request) => request.split(' ')[0])).toEqual(['POST', 'DELETE']);
    expect(withKey).toHaveLength(session.length + ofKey.length);
  });

  it('that does nothing with its hundred keys sends two requests in five seconds: it renews two Leases', async () => {
    const namespace = await installPool();
    const cluster = await Cluster.find({});
    // More often than usual.
    const times = { renewMs: 200, staleMs: 60_000 };
    const keys = new LeaseKeys(cluster, namespace, times);
    const held: (HeldKey | undefined)[] = [];
    for (let key = 0; key < 100; key += 1) {
      held.push(await keys.hold(randomUUID(), { onAsked: () => true }));
    }
    const pool = new PodPool(cluster, namespace, times);
    onTestFinished(async () => {
      await pool.close();
      await Promise.all(held.map(async (key) => key?.release()));
      await keys.close();
      cluster.close();
    });
    const [template, guests] = await Promise.all([
      readTemplate(cluster, { namespace, name: 'sandboxed-ptc' }),
      readGuests(),
    ]);
    const spec = { sessionId: 'other', languages: ['bash'], limits: DEFAULT_LIMITS } as const;
    expect(await pool.claim(spec, { template, guests, owner: 'host/1/a' })).toBeUndefined();
    await untilReady(admin, namespace, 1);
    const next = await requests.next(20);
    const leases = `PATCH /apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const [host, own] = ['host', 'pool'].map((kind) => `${leases}/sandboxed-ptc-${kind}-`);
    const isRenewal = (request: string): boolean =>
      request.startsWith(host ?? '') || request.startsWith(own ?? '');
    expect(next.filter((request) => !isRenewal(request))).toEqual([]);
    expect(new Set(next).size).toBe(2);
  });
});

import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { PodClaims } from '../../../src/providers/kubernetes/pool/pod-claims.ts';
import type { Share } from '../../../src/providers/kubernetes/pool/pool-lease.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { install } from '../installed.ts';
import { type KeyHost, startHost } from '../keys/key-hosts.ts';
import { useSentRequests } from '../sent-requests.ts';
import { makeHollowPod, podsIn, untilReady } from './pool.ts';

const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const requests = useSentRequests();
const PODS = '/api/v1/namespaces/default/pods';
type PoolLabels = Readonly<
  Record<'sandboxed-ptc.pool' | 'sandboxed-ptc.shape' | 'sandboxed-ptc.session', string>
>;
/** The name of a pod is that of its machine. */
const NAME = 'import socket\nprint(socket.gethostname())';

/** The labels of pods that no session has, in a pool of their own. */
function poolLabels(): PoolLabels {
  return {
    'sandboxed-ptc.pool': randomUUID(),
    'sandboxed-ptc.shape': randomUUID(),
    'sandboxed-ptc.session': '',
  };
}

function claimsOf(cluster: Cluster, labels: PoolLabels, share: Share): PodClaims {
  const { 'sandboxed-ptc.pool': pool, 'sandboxed-ptc.shape': shape } = labels;
  return new PodClaims({ cluster, pods: PODS, pool, shape, share: () => share });
}

it('a pod goes to one of eight hosts that want it at once', async () => {
  vi.stubEnv('KUBECONFIG', kubeconfig);
  const cluster = await Cluster.find({});
  const labels = poolLabels();
  const all = { index: 0, count: 1 };
  const racers = Array.from({ length: 8 }, () => claimsOf(cluster, labels, all));
  const name = await makeHollowPod(admin, 'default', labels);
  onTestFinished(async () => {
    for (const racer of racers) racer.close();
    cluster.close();
    await admin.send('DELETE', `${PODS}/${name}`);
    vi.unstubAllEnvs();
  });
  await expect.poll(() => racers.map(({ ready }) => ready)).toEqual(racers.map(() => 1));
  const results = await Promise.all(
    racers.map(async (racer, index) => racer.claim({ sessionId: `s-${index}`, owner: 'host/1/a' })),
  );
  const winners = results.flatMap((pod, index) => (pod === undefined ? [] : [{ pod, index }]));
  expect(winners).toHaveLength(1);
  const claimed = await admin.send('GET', `${PODS}/${name}`);
  expect(claimed).toMatchObject({
    metadata: { labels: { ...labels, 'sandboxed-ptc.session': `s-${winners[0]?.index}` } },
  });
  await expect.poll(() => racers.map(({ ready }) => ready)).toEqual(racers.map(() => 0));
});

it('hosts do not try the same pods, as long as each has some of its share, and use up all', async () => {
  vi.stubEnv('KUBECONFIG', kubeconfig);
  const cluster = await Cluster.find({});
  const labels = poolLabels();
  const hosts = [0, 1, 2].map((index) => claimsOf(cluster, labels, { index, count: 3 }));
  const names: string[] = [];
  for (let count = 0; count < 60; count += 1) {
    names.push(await makeHollowPod(admin, 'default', labels));
  }
  onTestFinished(async () => {
    for (const host of hosts) host.close();
    cluster.close();
    for (const name of names) await admin.send('DELETE', `${PODS}/${name}`);
    vi.unstubAllEnvs();
  });
  await expect.poll(() => hosts.map(({ ready }) => ready)).toEqual([60, 60, 60]);
  const claim = async (host: PodClaims): Promise<string | undefined> =>
    (await host.claim({ sessionId: 'a', owner: 'host/1/a' }))?.metadata.name;
  requests.take();
  const claimed = await Promise.all([...hosts, ...hosts, ...hosts].map(claim));
  expect(new Set(claimed).size).toBe(9);
  expect(requests.take()).toHaveLength(9);
  const [first] = hosts as [PodClaims];
  for (let count = 9; count < 60; count += 1) claimed.push(await claim(first));
  expect(new Set(claimed)).toEqual(new Set(names));
  expect(await claim(first)).toBeUndefined();
});

describeWithEngine('hosts that share a pool', () => {
  const lease = async (namespace: string): Promise<unknown> => {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const { items } = (await admin.send('GET', leases)) as {
      items: { metadata: { name: string }; spec: { holderIdentity: string } }[];
    };
    const found = items.filter(({ metadata }) => metadata.name.startsWith('sandboxed-ptc-pool-'));
    expect(found).toHaveLength(1);
    return found[0]?.spec.holderIdentity;
  };

  it('claim different pods, keep the pool when one is killed, and leave nothing', async () => {
    const { namespace, remove } = await install(admin, { image, pool: 4 });
    onTestFinished(remove);
    const hosts = await Promise.all(
      ['one', 'two', 'three', 'four'].map(async (url) => startHost(url, kubeconfig, { namespace })),
    );
    onTestFinished(async () => void (await Promise.all(hosts.map(async (host) => host.end()))));
    const [one, ...others] = hosts as [KeyHost, ...KeyHost[]];
    const join = async (host: KeyHost): Promise<void> => {
      await host.tell('acquire', { key: `first of ${host.url}` });
      await host.tell('destroy', { key: `first of ${host.url}` });
    };
    const claim = async (host: KeyHost): Promise<string> => {
      await host.tell('acquire', { key: host.url });
      const { stdout } = (await host.tell('execute', { key: host.url, code: NAME })) as {
        stdout: string;
      };
      return stdout.trim();
    };
    // The first one keeps the pool.
    await join(one);
    const first = await untilReady(admin, namespace, 4);
    const keeper = await lease(namespace);
    for (const host of others) await join(host);
    expect(await lease(namespace)).toBe(keeper);
    const ready = await untilReady(admin, namespace, 4);
    expect(ready).not.toEqual(first);
    const claimed = await Promise.all(hosts.map(claim));
    expect(claimed.toSorted()).toEqual(ready);
    // The one that keeps the pool is killed while it has a session.
    await untilReady(admin, namespace, 4);
    await one.end();
    await expect.poll(() => lease(namespace)).not.toBe(keeper);
    for (const host of others) await host.tell('destroy', { key: host.url });
    for (const host of others) await claim(host);
    await untilReady(admin, namespace, 4);
    for (const host of others) await host.tell('destroy', { key: host.url });
    // Four are ready, and that of the killed host ends by itself.
    const running = async (): Promise<number> =>
      (await podsIn(admin, namespace)).filter(({ status }) => status.phase === 'Running').length;
    await expect.poll(running).toBe(4);
  });
});

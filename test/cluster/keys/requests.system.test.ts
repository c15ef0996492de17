import { randomUUID } from 'node:crypto';
import { beforeEach, expect, inject, it } from 'vitest';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { LeaseKeys } from '../../../src/providers/kubernetes/keys/lease-keys.ts';
import type { HeldKey } from '../../../src/sandbox/keys/keys.ts';
import { ClusterApi } from '../api.ts';
import { useSentRequests } from '../sent-requests.ts';
import { useEmptyNamespace } from './empty-namespace.ts';

const admin = new ClusterApi(inject('cluster').kubeconfig);
const NAMESPACE = useEmptyNamespace();
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const HOLD = { onAsked: () => true };

const requests = useSentRequests();
beforeEach(() => void requests.take());

/** The list of a host's keys may be older than one that it has just taken, which it then looks at. */
const LOOK = /^GET .*\/leases\/sandboxed-ptc-key-/;

/** What a host sends for one key from its beginning to its end. */
async function use(keys: LeaseKeys, id: string): Promise<void> {
  const held = await keys.hold(id, HOLD);
  await held?.release();
}

it('a key costs two requests, and the first key of a host three more', async () => {
  const cluster = await Cluster.find({});
  // It does not say meanwhile that it lives.
  const keys = new LeaseKeys(cluster, NAMESPACE, { renewMs: 3_600_000, staleMs: 3_600_000 });
  await use(keys, randomUUID());
  const sent: string[] = [];
  const count = (): number => {
    sent.push(...requests.take());
    return sent.filter((request) => !LOOK.test(request)).length;
  };
  // The Lease of the host, the list of its keys, and the watch.
  await expect.poll(count).toBe(5);
  await use(keys, randomUUID());
  expect(requests.take().map((request) => request.split(' ')[0])).toEqual(['POST', 'DELETE']);
  await keys.close();
  cluster.close();
});

it('a host that does nothing with its hundred keys only says that it lives', async () => {
  const cluster = await Cluster.find({});
  const keys = new LeaseKeys(cluster, NAMESPACE, { renewMs: 200, staleMs: 60_000 });
  const held: (HeldKey | undefined)[] = [];
  for (let key = 0; key < 100; key += 1) held.push(await keys.hold(randomUUID(), HOLD));
  expect(held).not.toContain(undefined);
  const next = await requests.next(10);
  expect(new Set(next)).toEqual(
    new Set([expect.stringMatching(/^PATCH .*\/sandboxed-ptc-host-[\da-f]{16}$/)]),
  );
  expect(new Set(next).size).toBe(1);
  await Promise.all(held.map(async (key) => key?.release()));
  await keys.close();
  cluster.close();
  expect(await admin.send('GET', LEASES)).toMatchObject({ items: [] });
});

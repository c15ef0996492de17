import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, on } from 'node:events';
import type { ClientRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { LeaseKeys } from '../../../src/providers/kubernetes/keys/lease-keys.ts';
import type { HeldKey } from '../../../src/sandbox/keys/keys.ts';
import { ClusterApi } from '../api.ts';

const { kubeconfig } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const CHANNEL = 'http.client.request.start';
const HOLD = { onAsked: () => true };

const requests = new EventEmitter<{ request: [string] }>();
let sent: string[] = [];
requests.on('request', (request) => sent.push(request));

function onRequest(message: unknown): void {
  const { method, path } = (message as { readonly request: ClientRequest }).request;
  requests.emit('request', `${method} ${path}`);
}

beforeAll(() => {
  vi.stubEnv('KUBECONFIG', kubeconfig);
  subscribe(CHANNEL, onRequest);
});
afterAll(() => {
  unsubscribe(CHANNEL, onRequest);
  vi.unstubAllEnvs();
});
beforeEach(() => {
  sent = [];
});

/** What a host sends for one key from its beginning to its end. */
async function use(keys: LeaseKeys, id: string): Promise<void> {
  expect(await keys.stateOf(id)).toBe('free');
  const held = await keys.hold(id, HOLD);
  await held?.release();
}

it('a key costs three requests, and the first key of a host three more', async () => {
  const cluster = await Cluster.find({});
  const keys = new LeaseKeys(cluster, 'default');
  await use(keys, randomUUID());
  // The Lease of the host, the list of its keys, and the watch.
  await expect.poll(() => sent.length).toBe(6);
  sent = [];
  await use(keys, randomUUID());
  expect(sent.map((request) => request.split(' ')[0])).toEqual(['GET', 'POST', 'DELETE']);
  await keys.close();
  cluster.close();
});

it('a host that does nothing with its hundred keys only says that it lives', async () => {
  const cluster = await Cluster.find({});
  const keys = new LeaseKeys(cluster, 'default', { renewMs: 200, staleMs: 60_000 });
  const held: (HeldKey | undefined)[] = [];
  for (let key = 0; key < 100; key += 1) held.push(await keys.hold(randomUUID(), HOLD));
  expect(held).not.toContain(undefined);
  const next: string[] = [];
  for await (const [request] of on(requests, 'request') as AsyncIterable<[string]>) {
    if (next.push(request) === 10) break;
  }
  expect(new Set(next)).toEqual(
    new Set([expect.stringMatching(/^PATCH .*\/sandboxed-ptc-host-[\da-f]{16}$/)]),
  );
  expect(new Set(next).size).toBe(1);
  await Promise.all(held.map(async (key) => key?.release()));
  await keys.close();
  cluster.close();
  expect(await admin.send('GET', LEASES)).toMatchObject({ items: [] });
});

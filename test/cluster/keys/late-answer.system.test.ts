import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, it, vi } from 'vitest';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { LeaseKeys } from '../../../src/providers/kubernetes/keys/lease-keys.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { ClusterApi } from '../api.ts';

const { kubeconfig } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const NAMESPACE = `keys-${randomUUID()}`;
const HOLD = { onAsked: () => false };

beforeAll(async () => {
  vi.stubEnv('KUBECONFIG', kubeconfig);
  await admin.send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  return async () => {
    await admin.send('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    vi.unstubAllEnvs();
  };
});

it('a key of a dead host is taken once if the watch tells of it before the answer to the request', async () => {
  const id = randomUUID();
  const [dead, taker] = [await Cluster.find({}), await Cluster.find({})];
  // It never says again that it lives.
  const silent = new LeaseKeys(dead, NAMESPACE, { renewMs: 3_600_000, staleMs: 3_600_000 });
  const keys = new LeaseKeys(taker, NAMESPACE, { renewMs: 100, staleMs: 1000 });
  expect(await silent.hold(id, HOLD)).toBeDefined();
  const [answered, mayPass] = [createDeferred<void>(), createDeferred<void>()];
  const send = taker.send.bind(taker);
  vi.spyOn(taker, 'send').mockImplementation(async (request) => {
    const answer = await send(request);
    // This request takes the key.
    if (JSON.stringify(request).includes('/metadata/ownerReferences')) {
      answered.resolve();
      await mayPass.promise;
    }
    return answer;
  });
  const patience = { deadline: Infinity, answerDeadline: Infinity };
  const { signal } = new AbortController();
  expect(await keys.waitUntilFree(id, { patience, signal })).toBeUndefined();
  const held = await keys.hold(id, HOLD);
  expect(held).toBeDefined();
  await answered.promise;
  mayPass.resolve();
  // The Lease of the dead host is removed after the answer.
  const hosts = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases?labelSelector=sandboxed-ptc.host`;
  await expect
    .poll(async () => ((await admin.send('GET', hosts)) as { items: unknown[] }).items)
    .toHaveLength(1);
  expect(await keys.hold(id, HOLD)).toBeUndefined();
  expect(held?.lost.aborted).toBe(false);
  await held?.release();
  await Promise.all([silent.close(), keys.close()]);
  dead.close();
  taker.close();
});

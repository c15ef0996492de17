import { randomUUID } from 'node:crypto';
import { beforeEach, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type ApiRequest, Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import type { LeaseTimes } from '../../../src/providers/kubernetes/keys/host-lease.ts';
import { LeaseKeys } from '../../../src/providers/kubernetes/keys/lease-keys.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import { ClusterApi } from '../api.ts';
import { useEmptyNamespace } from './empty-namespace.ts';

const admin = new ClusterApi(inject('cluster').kubeconfig);
const NAMESPACE = useEmptyNamespace();
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const HOLD = { onAsked: () => false };
/** It never says again that it lives. */
const SILENT = { renewMs: 3_600_000, staleMs: 3_600_000 };
/** Long enough for a busy API server to answer: a host whose renewals come too late has lost its keys. */
const USUAL = { renewMs: 1000, staleMs: 8000 };

let id: string;
beforeEach(() => void (id = randomUUID()));

/** The keys of a host, and its way to the API server, which a test can change. */
async function hostWith(times: LeaseTimes): Promise<{ keys: LeaseKeys; cluster: Cluster }> {
  const cluster = await Cluster.find({});
  const keys = new LeaseKeys(cluster, NAMESPACE, times);
  onTestFinished(async () => {
    await keys.close();
    cluster.close();
  });
  return { keys, cluster };
}

/** Does something when the API server has answered the first request of a kind, before its sender knows the answer. */
function afterAnswer(
  cluster: Cluster,
  isMeant: (request: ApiRequest) => boolean,
  act: () => Promise<void>,
): void {
  const send = cluster.send.bind(cluster);
  let isFirst = true;
  vi.spyOn(cluster, 'send').mockImplementation(async (request) => {
    const answer = await send(request);
    if (isFirst && isMeant(request)) {
      isFirst = false;
      await act();
    }
    return answer;
  });
}

async function lose(): Promise<void> {
  throw new PtcError('SANDBOX_UNAVAILABLE', 'The connection was cut before the answer came.');
}

const makesKey = ({ method, body }: ApiRequest): boolean =>
  method === 'POST' && JSON.stringify(body).includes('sandboxed-ptc-key-');
const takesKey = ({ body }: ApiRequest): boolean =>
  JSON.stringify(body ?? null).includes('/metadata/ownerReferences');

/** Waits for a key without an end. */
async function waitFor({ keys }: { keys: LeaseKeys }): Promise<unknown> {
  const patience = { deadline: Infinity, answerDeadline: Infinity };
  return keys.waitUntilFree(id, { patience, signal: new AbortController().signal });
}

it('a key of a dead host is taken once if the watch tells of it before the answer to the request', async () => {
  const [dead, taker] = [await hostWith(SILENT), await hostWith(USUAL)];
  expect(await dead.keys.hold(id, HOLD)).toBeDefined();
  const [answered, mayPass] = [createDeferred<void>(), createDeferred<void>()];
  afterAnswer(taker.cluster, takesKey, async () => {
    answered.resolve();
    await mayPass.promise;
  });
  expect(await waitFor(taker)).toBeUndefined();
  const held = await taker.keys.hold(id, HOLD);
  expect(held).toBeDefined();
  await answered.promise;
  mayPass.resolve();
  // What is done after the answer: the Lease of the dead host is removed.
  const hosts = `${LEASES}?labelSelector=sandboxed-ptc.host`;
  await expect
    .poll(async () => ((await admin.send('GET', hosts)) as { items: unknown[] }).items)
    .toHaveLength(1);
  expect(await taker.keys.hold(id, HOLD)).toBeUndefined();
  expect(held?.lost.aborted).toBe(false);
  await held?.release();
});

it('a key that the API server has given is left if the answer is lost', async () => {
  const host = await hostWith(USUAL);
  afterAnswer(host.cluster, makesKey, lose);
  await expect(host.keys.hold(id, HOLD)).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  await expect.poll(async () => host.keys.stateOf(id)).toBe('free');
});

it('a key of a dead host that was taken is left if the answer is lost before anybody waits for it', async () => {
  const [dead, taker] = [await hostWith(SILENT), await hostWith({ ...USUAL, staleMs: 0 })];
  expect(await dead.keys.hold(id, HOLD)).toBeDefined();
  afterAnswer(taker.cluster, takesKey, lose);
  await expect(waitFor(taker)).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  await expect.poll(async () => taker.keys.stateOf(id)).toBe('free');
});

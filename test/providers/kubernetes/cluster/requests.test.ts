import { describe, expect, it } from 'vitest';
import { createPod } from '../../../../src/providers/kubernetes/start/create-pod.ts';
import { asClusterError } from '../../../../src/providers/kubernetes/start/start-error.ts';
import { shortenTimeLimits } from '../../../support/short-time-limits.ts';
import {
  clusterAt,
  closing,
  object,
  refusal,
  scriptedServer,
  textRefusal,
} from './scripted-server.ts';

const PODS = '/api/v1/namespaces/agents/pods';
const POD = { metadata: { name: 'sandbox-1' } };
const CREATE = { pods: PODS, name: 'sandbox-1', body: POD, startMs: 60_000 };
const BUSY = 'too many requests, please try again later';

describe('an API server that has too many requests', () => {
  it('gets a request again after the time that it names', async () => {
    const busy = refusal(429, 'TooManyRequests', BUSY, { 'retry-after': '0' });
    const { cluster, requests } = await scriptedServer({ answers: [busy, busy, object(POD)] });
    expect(await cluster.send({ method: 'POST', path: PODS, body: POD })).toEqual(POD);
    expect(requests).toEqual([`POST ${PODS}`, `POST ${PODS}`, `POST ${PODS}`]);
  });

  it('gets it five times at most', async () => {
    const busy = refusal(429, 'TooManyRequests', BUSY, { 'retry-after': '0' });
    const { cluster, requests } = await scriptedServer({ answers: [busy] });
    const refused = cluster.send({ method: 'GET', path: PODS });
    await expect(refused).rejects.toMatchObject({ reason: 'TooManyRequests' });
    expect(requests).toHaveLength(5);
  });

  it.each([{ 'retry-after': '600' }, { 'retry-after': 'later' }, {} as Record<string, string>])(
    'does not get it again if it asks for more patience, or for none that is known: %j',
    async (headers) => {
      const busy = refusal(429, 'TooManyRequests', BUSY, headers);
      const { cluster, requests } = await scriptedServer({ answers: [busy, object(POD)] });
      const refused = cluster.send({ method: 'GET', path: PODS }).catch(asClusterError);
      expect(await refused).toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        message: `The API server has too many requests: ${BUSY}. Run again later.`,
      });
      expect(requests).toHaveLength(1);
    },
  );

  it('is told for what it is if it says so only with a text', async () => {
    const { cluster } = await scriptedServer({ answers: [textRefusal(429, BUSY)] });
    const refused = cluster.send({ method: 'POST', path: PODS, body: POD }).catch(asClusterError);
    expect(await refused).toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: `The API server has too many requests: ${BUSY}. Run again later.`,
    });
  });
});

it('an API server that does not answer is given up', async () => {
  shortenTimeLimits(100);
  const { cluster } = await scriptedServer({ answers: [() => {}] });
  const { signal } = new AbortController();
  await expect(cluster.send({ method: 'GET', path: PODS, signal })).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
  });
});

it('a request ends with its signal, also while it waits behind others that get no answer', async () => {
  const { cluster, requests } = await scriptedServer({ answers: [() => {}] });
  const controller = new AbortController();
  const slow = Array.from({ length: 64 }, async () => {
    await cluster.send({ method: 'POST', path: PODS, body: POD }).catch(() => {});
    return 'another request ended first';
  });
  await expect.poll(() => requests).toHaveLength(64);
  const { signal } = controller;
  const waiting = cluster.send({ method: 'GET', path: PODS, signal });
  const reason = new Error('nobody waits');
  controller.abort(reason);
  const ended = waiting.catch((error: unknown) => error);
  expect(await Promise.race([ended, ...slow])).toBe(reason);
});

describe('a kept connection that the API server closes as the next request arrives', () => {
  it('costs a request that reads nothing', async () => {
    const { cluster, requests } = await scriptedServer({
      answers: [object({}), closing, object(POD)],
    });
    await cluster.send({ method: 'GET', path: PODS });
    expect(await cluster.send({ method: 'GET', path: PODS })).toEqual(POD);
    expect(requests).toHaveLength(3);
  });

  it('ends a request that must not arrive twice', async () => {
    const { cluster, requests } = await scriptedServer({
      answers: [object({}), closing, object(POD)],
    });
    await cluster.send({ method: 'GET', path: PODS });
    const cut = cluster.send({ method: 'POST', path: PODS, body: POD });
    await expect(cut).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(requests).toHaveLength(2);
  });

  it('makes no second pod if the first request had arrived', async () => {
    const exists = refusal(409, 'AlreadyExists', 'pods "sandbox-1" already exists');
    const answers = [object({}), closing, exists, object(POD)];
    const { cluster, requests } = await scriptedServer({ answers });
    await cluster.send({ method: 'GET', path: PODS });
    expect(await createPod(cluster, CREATE)).toEqual(POD);
    expect(requests.slice(1)).toEqual([`POST ${PODS}`, `POST ${PODS}`, `GET ${PODS}/sandbox-1`]);
  });

  it('ends the second attempt too, if that is closed', async () => {
    const { cluster, requests } = await scriptedServer({ answers: [object({}), closing] });
    await cluster.send({ method: 'GET', path: PODS });
    const cut = cluster.send({ method: 'GET', path: PODS });
    await expect(cut).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(requests).toHaveLength(3);
  });
});

describe('a new namespace', () => {
  const forbidden = 'pods "sandbox-1" is forbidden: ';
  const account =
    'error looking up service account agents/default: serviceaccount "default" not found';
  const quota = 'status unknown for quota: sandboxed-ptc, resources: pods';

  it('gets a pod as soon as the cluster has made its account and counted its quota', async () => {
    const answers = [account, quota].map((why) => refusal(403, 'Forbidden', forbidden + why));
    const { cluster, requests } = await scriptedServer({ answers: [...answers, object(POD)] });
    expect(await createPod(cluster, CREATE)).toEqual(POD);
    expect(requests).toHaveLength(3);
  });

  it('that stays so is an error that says what is missing', async () => {
    const { cluster } = await scriptedServer({
      answers: [refusal(403, 'Forbidden', forbidden + account)],
    });
    const refused = createPod(cluster, { ...CREATE, startMs: 0 }).catch(asClusterError);
    expect(await refused).toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: `The cluster has not prepared the namespace for pods: ${forbidden}${account}. If it is new, run again in a moment. Otherwise make what is missing.`,
    });
  });

  it('is not waited for if the caller gives up', async () => {
    const { cluster } = await scriptedServer({
      answers: [refusal(403, 'Forbidden', forbidden + account)],
    });
    const reason = new Error('given up');
    const created = createPod(cluster, { ...CREATE, signal: AbortSignal.abort(reason) });
    await expect(created).rejects.toMatchObject({ name: 'AbortError', cause: reason });
  });
});

it('a pod that the API server could not count for the quota is asked for again', async () => {
  const why =
    'Operation cannot be fulfilled on resourcequotas "sandboxed-ptc": the object has been modified';
  const changed = refusal(409, 'Conflict', why);
  const late = refusal(500, 'InternalError', 'Internal error: resource quota evaluates timeout');
  const answers = [changed, late, object(POD)];
  const { cluster, requests } = await scriptedServer({ answers });
  expect(await createPod(cluster, CREATE)).toEqual(POD);
  expect(requests).toEqual([`POST ${PODS}`, `POST ${PODS}`, `POST ${PODS}`]);
});

it('a server whose certificate the kubeconfig does not know is not used', async () => {
  const { cluster: known } = await scriptedServer({ answers: [object(POD)] });
  const { rootCertificates } = await import('node:tls');
  const stranger = await clusterAt(known.server, Buffer.from(rootCertificates[0] ?? ''));
  await expect(stranger.send({ method: 'GET', path: PODS })).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringMatching(/does not answer: .*certificate/),
  });
});

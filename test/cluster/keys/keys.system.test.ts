import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { keyLeaseName } from '../../../src/providers/kubernetes/keys/key-lease.ts';
import { ClusterApi } from '../api.ts';
import { startWay, type Way } from './cut-connections.ts';
import { type KeyHost, startHost } from './key-hosts.ts';

const { kubeconfig } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
/** Renewed more often than usual, so that a host that gets no processor time for a while, or late answers, keeps its keys. */
const EQUIPMENT = { times: { renewMs: 1000, staleMs: 15_000 } };
const WAIT_MS = 120_000;
const LOOK = 'print(globals().get("kept"))';

let hosts: KeyHost[];
let one: KeyHost;
let two: KeyHost;
let three: KeyHost;

beforeAll(async () => {
  const numbers = [1, 2, 3, 4];
  hosts = await Promise.all(
    numbers.map(async (number) => startHost(`http://host-${number}`, kubeconfig, EQUIPMENT)),
  );
  [one, two, three] = hosts as [KeyHost, KeyHost, KeyHost, KeyHost];
});

afterAll(async () => {
  await Promise.all(hosts.map(async (host) => host.end()));
  await admin.send('DELETE', LEASES);
});

function pathOf(key: string): string {
  return `${LEASES}/${keyLeaseName(sessionIdOf(key))}`;
}

/** Whether a key's Lease exists. */
async function exists(key: string): Promise<boolean> {
  return (await admin.request('GET', pathOf(key))).status === 200;
}

it('a key goes to one of twenty that want it at once, in four hosts, and is free after it', async () => {
  const key = randomUUID();
  const racers = hosts.flatMap((host) =>
    [1, 2, 3, 4, 5].map(async () => ({ host, result: await host.tell('acquire', { key }) })),
  );
  const results = await Promise.all(racers);
  const winners = results.filter(({ result }) => !('code' in (result as object)));
  expect(winners).toHaveLength(5);
  const holders = new Set(winners.map(({ host }) => host));
  expect(holders.size).toBe(1);
  const [holder] = [...holders].map(({ url }) => url);
  for (const { result } of results.filter((racer) => !winners.includes(racer))) {
    expect(result).toMatchObject({ code: 'SESSION_HELD', details: { key, holder } });
  }
  expect(await exists(key)).toBe(true);
  await winners[0]?.host.tell('destroy', { key });
  expect(await exists(key)).toBe(false);
});

it('a key that nobody uses goes to the host that asks, and one in use to who waits', async () => {
  const key = randomUUID();
  expect(await one.tell('acquire', { key })).toEqual({ isNew: true });
  await one.tell('execute', { key, code: 'kept = 1' });
  expect(await two.tell('acquire', { key })).toMatchObject({
    code: 'SESSION_HELD',
    details: { holder: one.url },
  });
  const waiting = two.tell('acquire', { key, waitMs: WAIT_MS });
  expect(await one.tell('execute', { key, code: LOOK })).toMatchObject({ stdout: '1\n' });
  await one.tell('release', { key });
  expect(await waiting).toEqual({ isNew: true });
  expect(await one.tell('closing', { key })).toBe('handed-over');
  await two.tell('release', { key });
  // Without a wait, and the host that has it now says so.
  expect(await three.tell('acquire', { key })).toEqual({ isNew: true });
  expect(await one.tell('acquire', { key })).toMatchObject({
    code: 'SESSION_HELD',
    details: { holder: three.url },
  });
  await three.tell('destroy', { key });
  expect(await exists(key)).toBe(false);
});

it('a host that was stopped for so long that its key was taken drives nothing when it goes on', async () => {
  const key = randomUUID();
  expect(await one.tell('acquire', { key })).toEqual({ isNew: true });
  one.kill('SIGSTOP');
  expect(await two.tell('acquire', { key, waitMs: WAIT_MS })).toEqual({ isNew: true });
  const closing = one.tell('closing', { key });
  one.kill('SIGCONT');
  expect(await closing).toBe('key-lost');
  expect(await one.tell('execute', { key, code: '1' })).toMatchObject({
    code: 'SESSION_NOT_FOUND',
    details: { reason: 'key-lost' },
  });
  expect(await two.tell('execute', { key, code: 'print(1)' })).toMatchObject({ stdout: '1\n' });
  // It is a host like any other again.
  await two.tell('release', { key });
  expect(await one.tell('acquire', { key, waitMs: WAIT_MS })).toEqual({ isNew: true });
  await one.tell('destroy', { key });
});

/** A host whose connections to the API server can be cut. */
async function startCutHost(): Promise<{ readonly host: KeyHost; readonly way: Way }> {
  const way = await startWay(kubeconfig);
  const host = await startHost('http://cut-off', way.kubeconfig, EQUIPMENT);
  onTestFinished(async () => {
    await host.end();
    way.close();
  });
  return { host, way };
}

it('a host whose connections are cut in silence makes new ones in time, and hears who asks', async () => {
  const { host, way } = await startCutHost();
  const key = randomUUID();
  expect(await host.tell('acquire', { key })).toEqual({ isNew: true });
  await host.tell('release', { key });
  way.cut();
  way.mend();
  expect(await two.tell('acquire', { key, waitMs: WAIT_MS })).toEqual({ isNew: true });
  expect(await host.tell('closing', { key })).toBe('handed-over');
  await two.tell('destroy', { key });
});

it('a host that was cut off for so long that its key was taken learns it on a new connection', async () => {
  const { host, way } = await startCutHost();
  const key = randomUUID();
  expect(await host.tell('acquire', { key })).toEqual({ isNew: true });
  way.cut();
  expect(await two.tell('acquire', { key, waitMs: WAIT_MS })).toEqual({ isNew: true });
  way.mend();
  expect(await host.tell('closing', { key })).toBe('key-lost');
  await two.tell('destroy', { key });
});

it('the keys of a host that was killed go to who waits, and are removed', async () => {
  const [key, other] = [randomUUID(), randomUUID()];
  expect(await one.tell('acquire', { key })).toEqual({ isNew: true });
  expect(await one.tell('acquire', { key: other })).toEqual({ isNew: true });
  await one.end();
  expect(await two.tell('acquire', { key, waitMs: WAIT_MS })).toEqual({ isNew: true });
  await expect.poll(() => exists(other)).toBe(false);
  expect(await exists(key)).toBe(true);
  await two.tell('destroy', { key });
});

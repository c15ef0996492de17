import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Patch } from '../../../../src/providers/kubernetes/keys/key-lease.ts';
import { closing, object, refusal, textRefusal } from '../cluster/scripted-server.ts';
import { type LeaseRequest, LeaseServer } from './lease-server.ts';

const TIMES = { renewMs: 50, staleMs: 60_000 };
const HOLD = { onAsked: () => false };
/** Much longer than it takes until the next attempt. */
const WHILE_MS = 500;

const TIMED_OUT = refusal(500, '', 'etcdserver: request timed out');
const STARTING = refusal(403, 'Forbidden', 'leases is forbidden: RBAC: not yet synced');

function isOfKey({ name }: LeaseRequest): boolean {
  return name.startsWith('sandboxed-ptc-key-');
}

/** Whether it takes the request of a claim back. */
function isWithdrawal({ body }: LeaseRequest): boolean {
  return Array.isArray(body) && (body as Patch).map(({ op }) => op).join() === 'remove';
}

function withdrawals({ requests }: LeaseServer): number {
  return requests.filter(isWithdrawal).length;
}

describe('a key that the API server has given', () => {
  it.each([
    ['its storage does not answer in time', TIMED_OUT],
    ['a proxy gets no answer', object({ message: 'Bad Gateway' }, 502)],
    ['a proxy waits for too long', object({ message: 'Gateway Timeout' }, 504)],
    ['a proxy thinks that the request took too long', object({ message: 'Request Timeout' }, 408)],
    ['the connection is closed', closing],
  ])('is left if it says nothing of that because %s', async (_why, answer) => {
    const server = await LeaseServer.start();
    server.meddle = (request, response, done) => {
      if (request.method !== 'POST' || !isOfKey(request)) return false;
      done();
      answer(response.req, response);
      return true;
    };
    const keys = server.keys(TIMES);
    await expect(keys.hold('a', HOLD)).rejects.toBeInstanceOf(Error);
    await expect.poll(() => server.names('key')).toEqual([]);
  });

  it.each([
    ['does not know yet what it allows', STARTING],
    ['does not know yet whom it talks to', refusal(401, 'Unauthorized', 'Unauthorized')],
    ['says that it is not ready', refusal(503, 'ServiceUnavailable', 'not ready')],
  ])('is left later if the server first %s', async (_what, answer) => {
    const server = await LeaseServer.start();
    let isReady = false;
    server.meddle = (request, response, done) => {
      if (!isOfKey(request) || isReady) return false;
      if (request.method === 'POST') done();
      (request.method === 'POST' ? TIMED_OUT : answer)(response.req, response);
      return true;
    };
    const keys = server.keys(TIMES);
    await expect(keys.hold('a', HOLD)).rejects.toThrow('etcdserver');
    await expect.poll(() => withdrawals(server)).toBeGreaterThan(2);
    expect(server.names('key')).toHaveLength(1);
    isReady = true;
    await expect.poll(() => server.names('key')).toEqual([]);
  });
});

it('a claim whose request may have been noted takes it back when the server is ready', async () => {
  const server = await LeaseServer.start();
  const holder = await server.keys(TIMES).hold('a', HOLD);
  expect(holder).toBeDefined();
  let isReady = false;
  server.meddle = (request, response, done) => {
    const isRequest = JSON.stringify(request.body ?? null).includes('"add"');
    if (isReady || (!isRequest && !isWithdrawal(request))) return false;
    if (isRequest) done();
    (isRequest ? TIMED_OUT : STARTING)(response.req, response);
    return true;
  };
  const patience = { deadline: Infinity, answerDeadline: Infinity };
  const { signal } = new AbortController();
  const waiting = server.keys(TIMES).waitUntilFree('a', { patience, signal });
  await expect(waiting).rejects.toThrow('etcdserver');
  await expect.poll(() => holder?.isWanted).toBe(true);
  await expect.poll(() => withdrawals(server)).toBeGreaterThan(2);
  isReady = true;
  await expect.poll(() => holder?.isWanted).toBe(false);
  await holder?.release();
});

describe('a key that surely was not given', () => {
  it.each([
    ['forbids it', 403, refusal(403, 'Forbidden', 'leases is forbidden')],
    ['forbids it with a word of its own', 403, refusal(403, 'Denied', 'not on a Sunday')],
    ['gets no request, because a proxy forbids it', 403, textRefusal(403, 'Forbidden')],
    ['gets no request, because a proxy does not know it', 404, textRefusal(404, '')],
    ['has too many requests', 429, textRefusal(429, 'Too many requests, please try again later.')],
  ])('is not asked about if the API server %s', async (_why, status, answer) => {
    const server = await LeaseServer.start();
    const keys = server.keys(TIMES);
    const holder = await server.keys(TIMES).hold('b', HOLD);
    server.meddle = (request, response) => {
      if (!isOfKey(request) || request.method === 'GET') return false;
      answer(response.req, response);
      return true;
    };
    await expect(keys.hold('a', HOLD)).rejects.toMatchObject({ status });
    const patience = { deadline: Infinity, answerDeadline: Infinity };
    const { signal } = new AbortController();
    const waiting = keys.waitUntilFree('b', { patience, signal });
    await expect(waiting).rejects.toMatchObject({ status });
    await delay(WHILE_MS);
    expect(withdrawals(server)).toBe(0);
    server.meddle = () => false;
    await holder?.release();
  });
});

it('the attempts to leave a key have pauses, and end when the keys are closed', async () => {
  const server = await LeaseServer.start();
  server.meddle = (request, response, done) => {
    if (!isOfKey(request)) return false;
    if (request.method === 'POST') done();
    TIMED_OUT(response.req, response);
    return true;
  };
  const keys = server.keys(TIMES);
  const start = performance.now();
  await expect(keys.hold('a', HOLD)).rejects.toThrow('etcdserver');
  await expect.poll(() => withdrawals(server)).toBeGreaterThan(0);
  await delay(WHILE_MS);
  const most = (performance.now() - start) / TIMES.renewMs;
  expect(withdrawals(server)).toBeLessThanOrEqual(1 + most);
  await keys.close();
  const last = withdrawals(server);
  await delay(WHILE_MS);
  expect(withdrawals(server) - last).toBeLessThanOrEqual(1);
});

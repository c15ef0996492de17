import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { refusal } from '../cluster/scripted-server.ts';
import { LeaseServer } from './lease-server.ts';
import { silence } from './silence.ts';

const TIMES = { renewMs: 50, staleMs: 60_000 };
/** No host says that it lives. */
const QUIET = { renewMs: 60_000, staleMs: 60_000 };
const HOLD = { onAsked: () => false };
/** In which a host would say several times that it lives. */
const WHILE_MS = 500;

/** A server that makes the Lease of a host only when it is told to. */
async function slowServer(): Promise<{
  readonly server: LeaseServer;
  readonly asked: Promise<void>;
  readonly answer: () => void;
}> {
  const server = await LeaseServer.start();
  const [asked, mayAnswer] = [createDeferred<void>(), createDeferred<void>()];
  server.meddle = async ({ method }) => {
    if (method !== 'POST') return false;
    asked.resolve();
    await mayAnswer.promise;
    return false;
  };
  return { server, asked: asked.promise, answer: () => mayAnswer.resolve() };
}

it('a host that is closed while its Lease is made leaves none, and says no more that it lives', async () => {
  const { server, asked, answer } = await slowServer();
  const keys = server.keys(TIMES);
  const held = keys.hold('a', HOLD);
  held.catch(() => {});
  await asked;
  const closed = keys.close();
  // It would have been closed long ago if it did not wait.
  await delay(WHILE_MS);
  answer();
  await closed;
  expect(server.store.names).toEqual([]);
  await expect(held).rejects.toMatchObject({ code: 'CLOSED' });
  await delay(WHILE_MS);
  expect(server.store.names).toEqual([]);
  expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
});

it('a host whose Lease was made, and that never learned it, leaves none', async () => {
  const server = await LeaseServer.start();
  server.meddle = ({ method }, response, done) => {
    if (method !== 'POST') return false;
    done();
    refusal(500, '', 'etcdserver: request timed out')(response.req, response);
    return true;
  };
  const keys = server.keys(TIMES);
  await expect(keys.hostId()).rejects.toThrow('etcdserver');
  expect(server.names('host')).toHaveLength(1);
  await keys.close();
  expect(server.names('host')).toEqual([]);
});

it('a host that was closed makes no Lease', async () => {
  const server = await LeaseServer.start();
  const keys = server.keys(TIMES);
  await keys.close();
  await expect(keys.hostId()).rejects.toMatchObject({ code: 'CLOSED' });
  await keys.close();
  expect(server.requests).toEqual([]);
});

it('a host that is closed twice removes its Lease once, and takes no key afterwards', async () => {
  const server = await LeaseServer.start();
  const keys = server.keys(TIMES);
  await keys.hostId();
  await Promise.all([keys.close(), keys.close()]);
  await keys.close();
  await expect(keys.hold('a', HOLD)).rejects.toMatchObject({ code: 'CLOSED' });
  const methods = server.requests.map(({ method }) => method);
  expect(methods.filter((method) => method === 'DELETE')).toHaveLength(1);
  expect(server.store.names).toEqual([]);
});

describe('a host whose API server is silent', () => {
  it('does not wait for it to leave a key, nor to close', async () => {
    const server = await LeaseServer.start();
    const keys = server.keys(TIMES);
    const held = await keys.hold('a', HOLD);
    silence(server);
    await held?.release();
    await keys.close();
    // Other hosts remove them, for this one is silent too.
    expect(server.store.names).toHaveLength(2);
  });

  it('leaves all keys that it was given at the same time', async () => {
    const server = await LeaseServer.start();
    const [first, second] = [server.keys(QUIET), server.keys(QUIET)];
    for (const id of ['a', 'b', 'c']) {
      const held = await first.hold(id, HOLD);
      const patience = { deadline: Infinity, answerDeadline: Infinity };
      const { signal } = new AbortController();
      const given = second.waitUntilFree(id, { patience, signal });
      await expect.poll(() => held?.isWanted).toBe(true);
      await held?.release();
      await given;
    }
    silence(server);
    const before = server.requests.length;
    await second.close();
    // They may still be on their way.
    await expect
      .poll(() => server.requests.slice(before).map(({ method }) => method))
      .toEqual(['DELETE', 'DELETE', 'DELETE']);
  });
});

import { expect, it, onTestFinished } from 'vitest';
import { PoolLease } from '../../../../src/providers/kubernetes/pool/pool-lease.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { LeaseServer } from './lease-server.ts';

const TIMES = { renewMs: 50, staleMs: 60_000 };
/** As many requests as may be under way at a time. */
const MANY = 64;

/** Sends requests that get no answer, and returns what settles when the first of them is given up. */
async function occupy(server: LeaseServer): Promise<{ readonly gaveUp: Promise<string> }> {
  let arrived = 0;
  server.answerOthers = () => void (arrived += 1);
  const giveUp = new AbortController();
  onTestFinished(() => giveUp.abort());
  const { signal } = giveUp;
  const path = '/api/v1/namespaces/agents/pods';
  const slow = Array.from({ length: MANY }, async () => {
    await server.cluster.send({ method: 'POST', path, signal }).catch(() => {});
    return 'another request was given up';
  });
  await expect.poll(() => arrived).toBe(MANY);
  return { gaveUp: Promise.race(slow) };
}

it.each<[string, (server: LeaseServer) => Promise<void>]>([
  ['its own Lease', async (server) => void (await server.keys(TIMES).hostId())],
  [
    'the Lease of the pool',
    async ({ cluster }) => {
      const template = { name: 'sandboxed-ptc', uid: 'uid-1' };
      const held = createDeferred<void>();
      const onHeld = (): void => held.resolve();
      const how = { host: 'a', times: TIMES, onHeld, onLost: (): void => {} };
      const lease = new PoolLease({ cluster, namespace: 'agents', template, ...how });
      onTestFinished(async () => lease.close());
      await held.promise;
    },
  ],
])('a host renews %s, also while many other requests get no answer', async (_which, begin) => {
  const server = await LeaseServer.start();
  await begin(server);
  const { gaveUp } = await occupy(server);
  const renewed = createDeferred<string>();
  server.meddle = ({ method }) => {
    renewed.resolve(method);
    return false;
  };
  expect(await Promise.race([renewed.promise, gaveUp])).toBe('PATCH');
});

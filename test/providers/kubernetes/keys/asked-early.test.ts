import { describe, expect, it } from 'vitest';
import type { LeaseKeys } from '../../../../src/providers/kubernetes/keys/lease-keys.ts';
import type { KeyHolder } from '../../../../src/sandbox/keys/keys.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { object } from '../cluster/scripted-server.ts';
import { LeaseServer } from './lease-server.ts';

/** Nobody looks at a key by itself. */
const QUIET = { renewMs: 60_000, staleMs: 60_000 };
const HOLDER = { advertised: undefined };
/** The holder uses the session. */
const IN_USE = { onAsked: () => false };

/** Waits for a key until it is free, or its holder says that it is in use. */
async function waitFor(keys: LeaseKeys): Promise<KeyHolder | undefined> {
  const patience = { deadline: 0, answerDeadline: Infinity };
  return keys.waitUntilFree('a', { patience, signal: new AbortController().signal });
}

/** Waits until so many hosts wait for the key, and so many hear what happens to their keys. */
async function untilWaiting(
  { store, watches }: LeaseServer,
  waiting: number,
  hosts: number,
): Promise<void> {
  const requests = (): readonly string[] =>
    store.all
      .flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {}))
      .filter((name) => name.startsWith('request.'));
  await expect.poll(() => [requests().length, watches.length]).toEqual([waiting, hosts]);
}

describe('a host that asks for a key is told that it is in use', () => {
  it('if the holder hears of it before it learns that it has the key', async () => {
    const server = await LeaseServer.start();
    const [first, second] = [server.keys(QUIET), server.keys(QUIET)];
    // From now on, the first host hears what happens to its keys.
    const other = await first.hold('b', IN_USE);
    await untilWaiting(server, 0, 1);
    const mayAnswer = createDeferred<void>();
    server.meddle = async ({ method, name }, response, done) => {
      if (method !== 'POST' || !name.startsWith('sandboxed-ptc-key-')) return false;
      done();
      const lease = server.store.all.find(({ metadata }) => metadata.name === name) ?? {};
      await mayAnswer.promise;
      object(lease, 201)(response.req, response);
      return true;
    };
    const holding = first.hold('a', IN_USE);
    await expect.poll(() => server.names('key').length).toBe(2);
    const waited = waitFor(second);
    await untilWaiting(server, 1, 2);
    // Meanwhile, it hears of that.
    await first.stateOf('b');
    mayAnswer.resolve();
    expect(await waited).toEqual(HOLDER);
    await (await holding)?.release();
    await other?.release();
  });

  it('if it asks a host that was given the key and does not hold it yet', async () => {
    const server = await LeaseServer.start();
    const [first, second, third] = [server.keys(QUIET), server.keys(QUIET), server.keys(QUIET)];
    const held = await first.hold('a', IN_USE);
    const patience = { deadline: Infinity, answerDeadline: Infinity };
    const { signal } = new AbortController();
    const given = second.waitUntilFree('a', { patience, signal });
    await untilWaiting(server, 1, 2);
    await held?.release();
    await given;
    const waited = waitFor(third);
    await untilWaiting(server, 1, 3);
    const next = await second.hold('a', IN_USE);
    expect(await waited).toEqual(HOLDER);
    await next?.release();
  });

  it('if the holder before has not told it anything', async () => {
    const server = await LeaseServer.start();
    const [first, second, third] = [server.keys(QUIET), server.keys(QUIET), server.keys(QUIET)];
    // It says after a second that the key will be free soon.
    const held = await first.hold('a', { onAsked: () => true });
    const given = waitFor(second);
    await untilWaiting(server, 1, 2);
    const waited = waitFor(third);
    await untilWaiting(server, 2, 3);
    await held?.release();
    expect(await given).toBeUndefined();
    const next = await second.hold('a', IN_USE);
    expect(await waited).toEqual(HOLDER);
    await next?.release();
  });
});

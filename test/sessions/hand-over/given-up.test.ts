import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { MACHINE_KEYS } from '../../../src/sandbox/keys/machine-keys.ts';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { isNameHeld } from '../../../src/shared/held-names/held-name.ts';
import { RecordingProvider } from '../../../src/testing/recording-provider.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { useExecutors } from '../support.ts';

const make = useExecutors();

it('a session that is opened after a request for it was given up is found by the next requests', async () => {
  const sessionKey = randomUUID();
  const asked = createDeferred<void>();
  const answer = createDeferred<void>();
  const id = sessionIdOf(sessionKey);
  let isHeld = true;
  const keys: typeof MACHINE_KEYS = {
    hold: async (...how) => MACHINE_KEYS.hold(...how),
    waitUntilFree: async (...how) => MACHINE_KEYS.waitUntilFree(...how),
    stateOf: async (of) => {
      if (of !== id || !isHeld) return 'free';
      asked.resolve();
      await answer.promise;
      return 'held';
    },
  };
  const provider = Object.assign(new RecordingProvider(unisolatedLocalProvider()), { keys });
  const { executor } = make({ provider, maxSandboxes: 1 });
  const other = await executor.acquire();
  const giveUp = new AbortController();
  const first = executor.acquire({ sessionKey, signal: giveUp.signal });
  await asked.promise;
  giveUp.abort();
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
  const second = executor.acquire({ sessionKey });
  // When one that came later waits for room, the second waits for the end of the first.
  const later = new AbortController();
  const third = executor.acquire({ sessionKey: randomUUID(), signal: later.signal });
  await expect.poll(() => executor.stats().waiting).toBe(1);
  later.abort();
  await expect(third).rejects.toMatchObject({ code: 'ABORTED' });
  isHeld = false;
  answer.resolve();
  await other.release();
  await (await second).execute('kept = 1');
  const next = await executor.acquire({ sessionKey });
  expect(await next.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
});

it.each([{ minReady: 1 }, undefined])(
  'a request that is aborted while its key is taken leaves no session, with the pool %j',
  async (pool) => {
    const sessionKey = randomUUID();
    const [asked, answer] = [createDeferred<void>(), createDeferred<void>()];
    const keys: typeof MACHINE_KEYS = {
      stateOf: async (...how) => MACHINE_KEYS.stateOf(...how),
      waitUntilFree: async (...how) => MACHINE_KEYS.waitUntilFree(...how),
      hold: async (...how) => {
        asked.resolve();
        await answer.promise;
        return MACHINE_KEYS.hold(...how);
      },
    };
    const provider = Object.assign(new RecordingProvider(unisolatedLocalProvider()), { keys });
    const { executor } = make({ provider, maxSandboxes: 1, ...(pool && { pool }) });
    if (pool !== undefined) await executor.warmUp();
    const giveUp = new AbortController();
    const acquired = executor.acquire({ sessionKey, signal: giveUp.signal });
    await asked.promise;
    giveUp.abort();
    await expect(acquired).rejects.toMatchObject({ code: 'ABORTED' });
    answer.resolve();
    // It gets the only sandbox that there may be.
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    expect(executor.activeSessions).toEqual([]);
    await expect.poll(async () => isNameHeld(`session/${sessionIdOf(sessionKey)}`)).toBe(false);
  },
);

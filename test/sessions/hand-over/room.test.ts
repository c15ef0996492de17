import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ExecutorWatch } from '../../../src/sessions/executor-watch.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { SessionManager } from '../../../src/sessions/session-manager.ts';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { SandboxSupply } from '../../../src/sessions/supply/sandbox-supply.ts';
import { isNameHeld } from '../../../src/shared/held-names/held-name.ts';
import { RecordingProvider } from '../../../src/testing/recording-provider.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { useExecutors } from '../support.ts';

const make = useExecutors();
const HELD = { code: 'SESSION_HELD' };

async function untilWaiting(executor: SandboxExecutor, count: number): Promise<void> {
  await expect.poll(() => executor.stats().waiting).toBe(count);
}

async function isHeld(key: string): Promise<boolean> {
  return isNameHeld(`session/${sessionIdOf(key)}`);
}

describe('requests that wait for room for a sandbox', () => {
  it('hold no key, and get the keys when there is room', async () => {
    const { executor } = make({ maxSandboxes: 1 });
    const first = await executor.acquire();
    const keys = [randomUUID(), randomUUID()];
    const waiting = keys.map(async (key) => {
      await using session = await executor.acquire({ sessionKey: key });
      expect(await isHeld(key)).toBe(true);
      await session.destroy();
    });
    await untilWaiting(executor, 2);
    for (const key of keys) expect(await isHeld(key)).toBe(false);
    await first.release();
    await Promise.all(waiting);
  });

  it('ask for a key that another executor took meanwhile, and give the room up if it is used', async () => {
    const key = randomUUID();
    const [one, two] = [make({ maxSandboxes: 1 }).executor, make().executor];
    const first = await one.acquire();
    const waiting = one.acquire({ sessionKey: key });
    await untilWaiting(one, 1);
    const session = await two.acquire({ sessionKey: key });
    await Promise.all([first.release(), expect(waiting).rejects.toMatchObject(HELD)]);
    expect(await one.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    await session.release();
    const again = await one.acquire();
    const next = one.acquire({ sessionKey: key });
    await Promise.all([again.release(), next]);
    expect((await next).isNew).toBe(true);
  });

  it.each([{ minReady: 1 }, undefined])(
    'can give up what they got, with the pool %j',
    async (pool) => {
      const provider = new RecordingProvider(unisolatedLocalProvider());
      const options = { provider, maxSandboxes: 1, ...(pool && { pool }) };
      const { signal } = new AbortController();
      const sessions = new SessionManager();
      const supply = new SandboxSupply(options, new ExecutorWatch(undefined), sessions, signal);
      onTestFinished(async () => supply.close());
      await supply.warmUp();
      const need = { tenant: undefined, persistent: false };
      await (await supply.room(signal, need)).giveUp();
      const sandbox = await (await supply.room(signal, need)).start();
      await sandbox.close();
      await supply.close();
      expect(provider.open.size).toBe(0);
    },
  );

  it('give the room up if they cannot hold the key', async () => {
    const { executor } = make({ maxSandboxes: 1 });
    const first = await executor.acquire();
    const waiting = executor.acquire({ sessionKey: randomUUID() });
    await untilWaiting(executor, 1);
    // As on Windows, whose users have no ids, so that no process can hold a name.
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(undefined as unknown as number);
    const [refusal] = await Promise.allSettled([waiting, first.release()]);
    expect(refusal).toMatchObject({ reason: { code: 'NAMES_UNAVAILABLE' } });
    getuid.mockRestore();
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
  });

  it('are refused at once if another executor uses the session', async () => {
    const key = randomUUID();
    const [one, two] = [make({ maxSandboxes: 1 }).executor, make().executor];
    await one.acquire();
    await two.acquire({ sessionKey: key });
    const refused = one.acquire({ sessionKey: key });
    await expect(refused).rejects.toMatchObject(HELD);
    expect(one.stats().waiting).toBe(0);
  });

  it('hold a key from the moment that another executor leaves it to them', async () => {
    const key = randomUUID();
    const [one, two] = [make({ maxSandboxes: 1 }).executor, make().executor];
    const first = await one.acquire();
    await two.execute('1', { sessionKey: key });
    const waiting = one.acquire({ sessionKey: key });
    await untilWaiting(one, 1);
    await expect(two.acquire({ sessionKey: key })).rejects.toMatchObject(HELD);
    await first.release();
    expect((await waiting).isNew).toBe(true);
  });
});

it('a request that waits for a key takes no room that others can use', async () => {
  const key = randomUUID();
  const [one, two] = [make({ maxSandboxes: 1 }).executor, make().executor];
  const session = await two.acquire({ sessionKey: key });
  const waiting = one.acquire({ sessionKey: key, sessionWaitMs: 100_000 });
  expect(await one.execute('print(1)')).toMatchObject({ stdout: '1\n' });
  await session.release();
  expect((await waiting).isNew).toBe(true);
});

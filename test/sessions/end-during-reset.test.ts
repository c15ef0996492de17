import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { SharedSession } from '../../src/sessions/session/shared-session.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { isNameHeld } from '../../src/shared/held-names/held-name.ts';
import { refusalOf } from '../orchestrator/support.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();
const LOOK = 'print(globals().get("kept"))';

/** Resolves when another caller waits for a session from now on. */
function nextWaits(): { readonly begun: () => Promise<void> } {
  const acquire = vi.spyOn(SharedSession.prototype, 'acquire');
  onTestFinished(() => acquire.mockRestore());
  return {
    begun: async () => {
      await expect.poll(() => acquire.mock.calls.length).toBe(1);
      acquire.mockRestore();
    },
  };
}

describe('a session that ends during its reset', () => {
  it.each([undefined, randomUUID()])(
    'leaves nothing if it is destroyed, with key %s',
    async (key) => {
      const { executor, provider } = make({ maxSandboxes: 1, whenFull: { action: 'reject' } });
      const session = await executor.acquire(key === undefined ? {} : { sessionKey: key });
      const reset = session.reset();
      await session.destroy();
      await reset;
      expect(provider.open.size).toBe(0);
      expect(executor.activeSessions).toEqual([]);
      expect(await isNameHeld(`session/${session.id}`)).toBe(false);
      expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    },
  );

  it('leaves nothing if it has no key and is released', async () => {
    const { executor, provider } = make({ maxSandboxes: 1, whenFull: { action: 'reject' } });
    const session = await executor.acquire();
    const reset = session.reset();
    await session.release();
    await reset;
    expect(provider.open.size).toBe(0);
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
  });

  const ways = [
    [
      'closeSession',
      async (executor: SandboxExecutor, id: string) => executor.closeSession({ id }),
    ],
    ['closeAllSessions', async (executor: SandboxExecutor) => executor.closeAllSessions()],
  ] as const;
  it.each(
    ways.flatMap(([name, end]) => [undefined, randomUUID()].map((key) => ({ name, end, key }))),
  )('leaves nothing if it is ended by $name, with key $key', async ({ end, key }) => {
    const { executor, provider } = make({ maxSandboxes: 1, whenFull: { action: 'reject' } });
    const session = await executor.acquire(key === undefined ? {} : { sessionKey: key });
    const reset = session.reset();
    const waiting = refusalOf(session.execute('1'));
    const ended = end(executor, session.id);
    const late = refusalOf(session.execute('1'));
    await Promise.all([reset, ended]);
    expect(provider.open.size).toBe(0);
    expect(executor.activeSessions).toEqual([]);
    expect(await isNameHeld(`session/${session.id}`)).toBe(false);
    for (const use of [
      waiting,
      late,
      refusalOf(session.execute('1')),
      refusalOf(session.reset()),
    ]) {
      expect(await use).toMatchObject({ code: 'SESSION_NOT_FOUND', details: { reason: 'closed' } });
    }
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
  });

  it('has a new sandbox for who acquires its key next, also if another waited before', async () => {
    const { executor, provider } = make();
    const sessionKey = randomUUID();
    const session = await executor.acquire({ sessionKey });
    // Holds the reset until all others wait for it.
    const gate = createDeferred<void>();
    const create = provider.create.bind(provider);
    vi.spyOn(provider, 'create').mockImplementationOnce(async (...request) => {
      await gate.promise;
      return create(...request);
    });
    const reset = session.reset();
    const waits = nextWaits();
    const before = executor.acquire({ sessionKey });
    await waits.begun();
    const destroyed = session.destroy();
    const after = executor.acquire({ sessionKey });
    gate.resolve();
    await Promise.all([reset, before, destroyed]);
    const next = await after;
    expect(await next.execute(LOOK)).toMatchObject({ stdout: 'None\n' });
    await expect((await before).execute('1')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(provider.open.size).toBe(1);
  });
});

it('a session that was opened for others is not destroyed by a user of the one before', async () => {
  const { executor, provider } = make();
  const sessionKey = randomUUID();
  const old = await executor.acquire({ sessionKey });
  const closed = executor.closeSession({ id: old.id });
  const waits = nextWaits();
  const acquired = executor.acquire({ sessionKey });
  await waits.begun();
  await Promise.all([closed, old.destroy()]);
  const session = await acquired;
  expect(await session.execute(LOOK)).toMatchObject({ stdout: 'None\n' });
  expect(provider.open.size).toBe(1);
});

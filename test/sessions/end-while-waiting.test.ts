import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/sessions/executor.ts';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { isNameHeld } from '../../src/shared/held-names/held-name.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { refusalOf } from '../orchestrator/support.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();
const FULL = { maxSandboxes: 1, whenFull: { action: 'wait', timeoutMs: 1_000_000 } } as const;

async function untilWaiting(executor: SandboxExecutor, count: number): Promise<void> {
  await expect.poll(() => executor.stats().waiting).toBe(count);
}

/** A session whose reset waits for room, because another one got that of its sandbox. */
async function startReset(
  executor: SandboxExecutor,
  sessionKey: string | undefined,
): Promise<{ session: Session; reset: Promise<unknown>; other: Session }> {
  const session = await executor.acquire(sessionKey === undefined ? {} : { sessionKey });
  const acquired = executor.acquire();
  await untilWaiting(executor, 1);
  const reset = refusalOf(session.reset());
  const other = await acquired;
  await untilWaiting(executor, 1);
  return { session, reset, other };
}

const byOthers = [
  ['closeSession with its id', async (executor, { id }) => executor.closeSession({ id })],
  ['closeAllSessions', async (executor) => executor.closeAllSessions()],
] satisfies readonly (readonly [string, (...of: [SandboxExecutor, Session]) => Promise<void>])[];

describe('a session whose reset waits for room', () => {
  const cases = [
    { name: 'destroy', key: undefined, end: async (session: Session) => session.destroy() },
    { name: 'destroy', key: randomUUID(), end: async (session: Session) => session.destroy() },
    { name: 'release', key: undefined, end: async (session: Session) => session.release() },
  ];
  it.each(cases)('ends without it by $name, with key $key', async ({ key, end }) => {
    const { executor, provider } = make(FULL);
    const { session, reset, other } = await startReset(executor, key);
    const program = refusalOf(session.execute('1'));
    await end(session);
    for (const use of [reset, program, refusalOf(session.execute('1'))]) {
      expect(await use).toMatchObject({ code: 'CLOSED', details: { sessionId: session.id } });
    }
    expect(await isNameHeld(`session/${session.id}`)).toBe(false);
    expect([...provider.open.keys()]).toEqual([other.id]);
    expect(executor.stats()).toMatchObject({ waiting: 0, starting: 0 });
  });

  it.each(
    byOthers.flatMap(([name, end]) => [undefined, randomUUID()].map((key) => ({ name, end, key }))),
  )('ends without it by $name, with key $key', async ({ end, key }) => {
    const { executor } = make(FULL);
    const { session, reset } = await startReset(executor, key);
    const program = refusalOf(session.execute('1'));
    await end(executor, session);
    for (const use of [reset, program, refusalOf(session.execute('1'))]) {
      expect(await use).toMatchObject({
        code: 'SESSION_NOT_FOUND',
        details: { sessionId: session.id, reason: 'closed' },
      });
    }
    expect(await isNameHeld(`session/${session.id}`)).toBe(false);
  });

  it('ends without it by closeSession with its key, and the key then has a new session', async () => {
    const { executor } = make(FULL);
    const sessionKey = randomUUID();
    const { reset, other } = await startReset(executor, sessionKey);
    const acquired = executor.acquire({ sessionKey });
    await executor.closeSession({ key: sessionKey });
    expect(await reset).toMatchObject({ code: 'SESSION_NOT_FOUND', details: { reason: 'closed' } });
    await other.release();
    expect(await (await acquired).execute('print(1)')).toMatchObject({ stdout: '1\n' });
  });
});

describe('a request for a session that waits for room', () => {
  const KEPT = { stdout: 'kept\n' };

  it('gets it although closeSession with its key ended what there was before', async () => {
    const { executor } = make(FULL);
    const sessionKey = randomUUID();
    const other = await executor.acquire();
    const acquired = executor.acquire({ sessionKey });
    await untilWaiting(executor, 1);
    await executor.closeSession({ key: sessionKey });
    await executor.closeSession({ key: sessionKey });
    await untilWaiting(executor, 1);
    await other.release();
    const session = await acquired;
    await session.execute('kept = "kept"');
    // Whoever acquires the key later has the same one.
    const same = await executor.acquire({ sessionKey });
    expect(await same.execute('print(kept)')).toMatchObject(KEPT);
    await session.destroy();
    expect(await isNameHeld(`session/${session.id}`)).toBe(false);
  });

  it('gets it also if the provider had no room', async () => {
    const provider = new RecordingProvider(unisolatedLocalProvider());
    const create = provider.create.bind(provider);
    let isFull = true;
    provider.create = async (...request) => {
      if (isFull) throw new PtcError('SANDBOX_LIMIT', 'No room.');
      return create(...request);
    };
    const { executor } = make({ provider, whenFull: FULL.whenFull });
    const sessionKey = randomUUID();
    const acquired = executor.acquire({ sessionKey });
    await untilWaiting(executor, 1);
    await executor.closeSession({ key: sessionKey });
    isFull = false;
    const session = await acquired;
    expect(await session.execute('print("kept")')).toMatchObject(KEPT);
  });

  it('is refused as before if it is aborted after that, or the executor closes', async () => {
    const { executor } = make(FULL);
    await executor.acquire();
    const giveUp = new AbortController();
    const keys = [randomUUID(), randomUUID()] as const;
    const aborted = refusalOf(executor.acquire({ sessionKey: keys[0], signal: giveUp.signal }));
    const closed = refusalOf(executor.acquire({ sessionKey: keys[1] }));
    await untilWaiting(executor, 2);
    for (const key of keys) await executor.closeSession({ key });
    await untilWaiting(executor, 2);
    giveUp.abort();
    expect(await aborted).toMatchObject({ code: 'ABORTED' });
    await executor.close();
    expect(await closed).toMatchObject({ code: 'CLOSED' });
  });
});

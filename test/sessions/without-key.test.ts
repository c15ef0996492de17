import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/sessions/executor.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();
const HAS_KEPT = 'print("kept" in globals())';

describe('a session without a key', () => {
  it('keeps its state, is of the caller alone, and ends with its release', async () => {
    const { executor, provider } = make();
    const [one, two] = await Promise.all([executor.acquire(), executor.acquire()]);
    expect(one).toMatchObject({ key: undefined, isNew: true });
    expect(one.id).not.toBe(two.id);
    await one.execute('kept = 1');
    expect(await one.execute('print(kept)')).toMatchObject({ stdout: '1\n', sessionId: one.id });
    expect(await two.execute(HAS_KEPT)).toMatchObject({ stdout: 'False\n' });
    await one.release();
    await one.release();
    expect([...provider.open.keys()]).toEqual([two.id]);
    expect(await executor.sessionInfo({ id: one.id })).toBeUndefined();
    for (const use of [one.execute('1'), one.info(), one.reset(), one.destroy()]) {
      await expect(use).rejects.toMatchObject({
        code: 'CLOSED',
        message: expect.stringContaining('Acquire a new session'),
        details: { sessionId: one.id },
      });
    }
    await two.destroy();
    await expect(two.execute('1')).rejects.toMatchObject({ code: 'CLOSED' });
    expect(provider.open.size).toBe(0);
  });

  it('ends with the block that uses it, though a program fails there', async () => {
    const { executor, provider } = make();
    let kept: Session | undefined;
    const use = async (): Promise<void> => {
      await using session = await executor.acquire();
      kept = session;
      expect((await session.execute('1 / 0')).status).toBe('error');
      expect([...provider.open.keys()]).toEqual([session.id]);
      throw new Error('left');
    };
    await expect(use()).rejects.toThrow('left');
    expect(provider.open.size).toBe(0);
    await expect(kept?.execute('1')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('has a program under way cancelled if it is released', async () => {
    const entered = createDeferred<void>();
    const hang = {
      name: 'hang',
      description: 'Never answers.',
      run: async () => {
        entered.resolve();
        return new Promise(() => {});
      },
    };
    const { executor } = make({ tools: new ToolRegistry([hang]) });
    const session = await executor.acquire();
    const running = session.execute('await hang()');
    await entered.promise;
    await session.release();
    expect(await running).toMatchObject({ status: 'cancelled', sessionOpen: false });
  });

  it('has a fresh sandbox under the same id after a reset', async () => {
    const { executor, provider } = make();
    await using session = await executor.acquire();
    await session.execute('kept = 1');
    await session.reset();
    expect(await session.execute(HAS_KEPT)).toMatchObject({
      stdout: 'False\n',
      sessionId: session.id,
    });
    expect(provider.open.size).toBe(1);
  });

  it('that somebody closed says so, and its release does no harm', async () => {
    const { executor } = make();
    const session = await executor.acquire();
    await executor.closeSession({ id: session.id });
    await expect(session.execute('1')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      details: { sessionId: session.id, reason: 'closed' },
    });
    await session.release();
    await executor.closeSession({ id: session.id });
  });

  it('tells which sandbox of its engine it has', async () => {
    const { executor, provider } = make({ pool: { minReady: 1 } });
    await executor.warmUp();
    const [ready] = provider.created.values();
    await using session = await executor.acquire();
    expect(await session.info()).toMatchObject({ sandboxId: ready?.id, fromPool: true });
  });
});

describe('a program that is run by the executor itself', () => {
  it('has the state of its key, which stays for the next', async () => {
    const { executor, provider } = make();
    const [key, other] = [randomUUID(), randomUUID()];
    const first = await executor.execute('kept = 1', { sessionKey: key });
    expect(first).toMatchObject({ status: 'ok', sessionOpen: true });
    const second = await executor.execute('print(kept)', { sessionKey: key });
    expect(second).toMatchObject({ stdout: '1\n', sessionId: first.sessionId });
    expect(await executor.execute(HAS_KEPT, { sessionKey: other })).toMatchObject({
      stdout: 'False\n',
    });
    expect(await executor.execute(HAS_KEPT)).toMatchObject({ stdout: 'False\n' });
    expect(provider.open.size).toBe(2);
    const session = await executor.acquire({ sessionKey: key });
    expect(session).toMatchObject({ id: first.sessionId, key, isNew: false });
  });

  it('leaves nothing if it has no key', async () => {
    const { executor, provider } = make();
    const { sessionId } = await executor.execute('1');
    expect(provider.created.has(sessionId)).toBe(true);
    expect(provider.open.size).toBe(0);
    expect(executor.activeSessions).toEqual([]);
  });
});

describe('a key', () => {
  it.each(['', 5, null])('that is %j is refused', async (value) => {
    const { executor, provider } = make();
    const refusal = { code: 'OPTION_INVALID', details: { option: 'sessionKey', value } };
    const key = value as string;
    await expect(executor.acquire({ sessionKey: key })).rejects.toMatchObject(refusal);
    await expect(executor.execute('1', { sessionKey: key })).rejects.toMatchObject(refusal);
    expect(provider.created.size).toBe(0);
  });

  it('is needed for a persistent session', async () => {
    const { executor } = make();
    await expect(executor.acquire({ persistent: true })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('sessionKey must be set if persistent is'),
    });
  });
});

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { converse, refusalOf, runs } from '../../orchestrator/support.ts';
import { open, readLog, temporaryPath, verify } from '../../audit/support.ts';
import { uniqueKey } from '../../support/unique-key.ts';
import { useExecutors } from '../support.ts';

const makeExecutor = useExecutors();
const [A, B] = [{ tenant: 'a' }, { tenant: 'b' }];
const fairBy = 'tenant';

/** A tool that says when a program called it, and answers when the test lets it. */
function gate(): { tools: ToolRegistry; entered: Deferred<void>; opened: Deferred<void> } {
  const [entered, opened] = [createDeferred<void>(), createDeferred<void>()];
  const run = async (): Promise<void> => {
    entered.resolve();
    await opened.promise;
  };
  const tools = new ToolRegistry([{ name: 'hold', description: 'Waits.', run }]);
  return { tools, entered, opened };
}

describe('a quota of sandboxes', () => {
  it('counts idle sessions, lets others pass, and gives way if one is closed [host/quotas]', async () => {
    const { executor } = makeExecutor({ fairBy, quotas: { sandboxes: 1 } });
    const key = uniqueKey('quota');
    const { sessionId } = await executor.execute('1', { sessionKey: key, labels: A });
    const waiting = executor.execute('print("a")', { labels: A });
    expect(await executor.execute('print("b")', { labels: B })).toMatchObject({ stdout: 'b\n' });
    expect(executor.stats().waiting).toBe(1);
    // The session of the key needs no other sandbox.
    expect(await executor.execute('print(1)', { sessionKey: key, labels: A })).toMatchObject({
      sessionId,
    });
    await executor.closeSession({ id: sessionId });
    expect(await waiting).toMatchObject({ stdout: 'a\n' });
  });

  it('counts sandboxes from the pool, which belong to nobody before [host/quotas]', async () => {
    const { executor, provider } = makeExecutor({
      fairBy,
      quotas: { sandboxes: 1 },
      whenFull: { action: 'reject' },
      pool: { minReady: 2 },
    });
    await executor.warmUp();
    const first = await executor.acquire({ labels: A });
    expect(first.acquired.fromPool).toBe(true);
    await expect.poll(() => executor.stats().ready).toBe(2);
    const refused = await refusalOf(executor.acquire({ labels: A }));
    expect(refused).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { label: 'tenant', tenant: 'a', quota: 'sandboxes', limit: 1 },
    });
    // The refusal took nothing from the pool.
    expect(executor.stats().ready).toBe(2);
    expect((await executor.acquire({ labels: B })).acquired.fromPool).toBe(true);
    await first.release();
    expect((await executor.acquire({ labels: A })).acquired.fromPool).toBe(true);
    expect(provider.open.size).toBeGreaterThan(2);
  });

  it('evicts only sessions of the tenant that reached it', async () => {
    const evicted: unknown[] = [];
    const { executor } = makeExecutor({
      fairBy,
      quotas: { sandboxes: 2 },
      whenFull: { action: 'evict' },
      onExecutorEvent: (event) => {
        if (event.type === 'session-closed' && event.reason === 'evicted')
          evicted.push(event.sessionKey);
      },
    });
    // b has as many sessions, and used them less recently.
    const keys = ['b1', 'b2', 'a1', 'a2', 'a3'].map((name) => uniqueKey(name));
    for (const [index, key] of keys.entries()) {
      await executor.execute('1', { sessionKey: key, labels: index < 2 ? B : A });
    }
    expect(evicted).toEqual([keys[2]]);
  });
});

describe('a quota of programs at a time', () => {
  it('lets further programs of the tenant wait, in all its sessions, and no others [host/quotas]', async () => {
    const { tools, entered, opened } = gate();
    const { executor } = makeExecutor({ fairBy, quotas: { concurrentPrograms: 1 }, tools });
    const [first, second] = [
      await executor.acquire({ labels: A }),
      await executor.acquire({ labels: A }),
    ];
    const order: string[] = [];
    const running = first.execute('await hold()').then(() => order.push('first'));
    await entered.promise;
    const waiting = second.execute('1').then(() => order.push('second'));
    expect(await executor.execute('print("b")', { labels: B })).toMatchObject({ stdout: 'b\n' });
    // The labels of the program decide, as they do for a policy.
    expect(await executor.execute('print("c")', { labels: { tenant: 'c' } })).toMatchObject({
      stdout: 'c\n',
    });
    expect((await second.info()).state).toBe('busy');
    expect(order).toEqual([]);
    opened.resolve();
    await Promise.all([running, waiting]);
    expect(order).toEqual(['first', 'second']);
  });

  it('is no reason to wait longer than the caller, the session or the executor', async () => {
    const { tools, entered, opened } = gate();
    const { executor } = makeExecutor({ fairBy, quotas: { concurrentPrograms: 1 }, tools });
    const sessions = [];
    for (let count = 0; count < 4; count += 1) {
      sessions.push(await executor.acquire({ labels: A }));
    }
    const [first, second, third, fourth] = sessions;
    const running = first?.execute('await hold()');
    await entered.promise;
    const caller = new AbortController();
    const aborted = second?.execute('1', { signal: caller.signal });
    const destroyed = third?.execute('1');
    const closed = fourth?.execute('1');
    caller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    await Promise.all([
      third?.destroy(),
      expect(destroyed).rejects.toMatchObject({ code: 'CLOSED' }),
    ]);
    await Promise.all([executor.close(), expect(closed).rejects.toMatchObject({ code: 'CLOSED' })]);
    opened.resolve();
    expect(await running).toMatchObject({ status: 'cancelled' });
  });

  it('lets the next program run after one that is aborted while it waits', async () => {
    const { tools, entered, opened } = gate();
    const { executor } = makeExecutor({ fairBy, quotas: { concurrentPrograms: 1 }, tools });
    const running = executor.execute('await hold()', { labels: A });
    await entered.promise;
    const caller = new AbortController();
    const session = await executor.acquire({ labels: A });
    const aborted = session.execute('1', { signal: caller.signal });
    const next = executor.execute('print("next")', { labels: A });
    caller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    opened.resolve();
    expect(await running).toMatchObject({ status: 'ok' });
    expect(await next).toMatchObject({ stdout: 'next\n' });
  });
});

describe('a quota of programs a minute', () => {
  const REFUSED = {
    code: 'QUOTA_EXCEEDED',
    message: expect.stringContaining('"a" (label tenant)'),
    details: {
      label: 'tenant',
      tenant: 'a',
      quota: 'programsPerMinute',
      limit: 2,
      retryAfterMs: expect.any(Number),
    },
  };
  const quotas = { programsPerMinute: 2 };

  it('refuses further programs before they have a sandbox, and no program of others [host/quotas]', async () => {
    const { executor, provider } = makeExecutor({ fairBy, quotas });
    for (const text of ['1', '2']) {
      expect((await executor.execute(`print(${text})`, { labels: A })).stdout).toBe(`${text}\n`);
    }
    const error = await refusalOf(executor.execute('3', { labels: A }));
    expect(error).toMatchObject(REFUSED);
    const { retryAfterMs } = error.details;
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    expect(provider.created.size).toBe(2);
    expect((await executor.execute('print("b")', { labels: B })).stdout).toBe('b\n');
    expect((await executor.execute('print("none")')).stdout).toBe('none\n');
  });

  it('counts the programs of sessions, each once, by the labels of the program or its session', async () => {
    const { executor } = makeExecutor({ fairBy, quotas });
    const key = uniqueKey('rate');
    const session = await executor.acquire({ sessionKey: key, labels: A });
    await session.execute('1');
    await session.execute('1', { labels: B });
    // It has the labels of the session that is open.
    await executor.execute('1', { sessionKey: key });
    await expect(executor.execute('1', { sessionKey: key })).rejects.toMatchObject(REFUSED);
    await expect(session.execute('1')).rejects.toMatchObject(REFUSED);
    expect((await session.execute('print("b")', { labels: B })).stdout).toBe('b\n');
    expect((await session.info()).programs).toBe(4);
  });

  it('is an error of execute_code, and of a run, which can be continued', async () => {
    const { executor } = makeExecutor({ fairBy, quotas });
    const tool = codeTool({ executor, labels: A });
    await tool.execute({ code: '1' });
    await tool.execute({ code: '2' });
    await expect(tool.execute({ code: '3' })).rejects.toMatchObject(REFUSED);
    const { orchestrator } = converse([runs('4')], { executor, labels: A });
    await expect(orchestrator.run('Count.')).rejects.toMatchObject(REFUSED);
    expect(orchestrator.messages.length).toBeGreaterThan(1);
  });
});

describe('a refusal by a quota in the audit log', () => {
  const refused = { type: 'quota-exceeded', label: 'tenant' };

  it('says which tenant reached which quota, and in which session', async () => {
    const path = await temporaryPath();
    const audit = await open({ path });
    const quotas = { programsPerMinute: 1, sandboxes: 1 };
    const whenFull = { action: 'reject' } as const;
    const { executor } = makeExecutor({ fairBy, quotas, whenFull, audit });
    const session = await executor.acquire({ labels: A });
    await session.execute('1');
    await expect(session.execute('2')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect(executor.execute('3', { labels: A })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    await expect(executor.acquire({ labels: A })).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await executor.close();
    await audit.close();
    expect(await verify(path)).toMatchObject({ problem: undefined });
    const lines = (await readLog(path)).filter(({ type }) => type === 'quota-exceeded');
    expect(lines).toMatchObject([
      { ...refused, tenant: 'a', quota: 'programsPerMinute', limit: 1, sessionId: session.id },
      { ...refused, tenant: 'a', quota: 'programsPerMinute', limit: 1 },
      { ...refused, tenant: 'a', quota: 'sandboxes', limit: 1 },
    ]);
    expect(lines.map((line) => Object.hasOwn(line, 'sessionId'))).toEqual([true, false, false]);
  });

  it('is written before the caller learns of it, so that refusals cannot fill the memory', async () => {
    const room = createDeferred<void>();
    const entries: string[] = [];
    const audit = {
      record: ({ type }: { readonly type: string }) => void entries.push(type),
      ready: () => (entries.includes('quota-exceeded') ? room.promise : undefined),
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    const quotas = { programsPerMinute: 1 };
    const { executor } = makeExecutor({ fairBy, quotas, audit });
    await executor.execute('1', { labels: A });
    let settled = false;
    const refusal = refusalOf(executor.execute('2', { labels: A })).finally(() => {
      settled = true;
    });
    await expect.poll(() => entries.at(-1)).toBe('quota-exceeded');
    await setImmediate();
    expect(settled).toBe(false);
    room.resolve();
    expect(await refusal).toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });
});

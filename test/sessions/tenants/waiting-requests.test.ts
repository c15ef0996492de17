import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SandboxExecutorOptions } from '../../../src/sessions/options/executor-options.ts';
import { WaitingRequests } from '../../../src/sessions/tenants/waiting-requests.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { countLoopTime } from '../../../src/shared/async/event-loop-work.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { refusalOf } from '../../orchestrator/support.ts';
import { uniqueKey } from '../../support/unique-key.ts';
import { useExecutors } from '../support.ts';

const makeExecutor = useExecutors();
const [A, B] = [{ tenant: 'a' }, { tenant: 'b' }];
const fairBy = 'tenant';

function make(waitingRequests: number, options: SandboxExecutorOptions = {}) {
  return makeExecutor({ fairBy, quotas: { waitingRequests }, ...options });
}

const REFUSED = {
  code: 'QUOTA_EXCEEDED',
  message: expect.stringContaining('as many waiting requests as its quota, 2'),
  details: { label: 'tenant', tenant: 'a', quota: 'waitingRequests', limit: 2 },
};

describe('a quota of waiting requests', () => {
  it('refuses further ones before they have or want a sandbox, and none of others [host/quotas]', async () => {
    const { executor } = make(2, { maxSandboxes: 1 });
    const first = await executor.acquire({ labels: B });
    const waiting = [
      executor.execute('print("program")', { labels: A }),
      executor.acquire({ labels: A }),
    ] as const;
    for (const refused of [executor.execute('1', { labels: A }), executor.acquire({ labels: A })]) {
      expect(await refusalOf(refused)).toMatchObject(REFUSED);
    }
    await expect.poll(() => executor.stats().waiting).toBe(2);
    const other = executor.execute('print("b")', { labels: B });
    await first.release();
    expect(await waiting[0]).toMatchObject({ stdout: 'program\n' });
    await (await waiting[1]).release();
    expect(await other).toMatchObject({ stdout: 'b\n' });
    // Those that began, and those that were refused, wait no longer.
    expect(await executor.execute('print(1)', { labels: A })).toMatchObject({ stdout: '1\n' });
  });

  it('counts requests that wait for a key that another executor uses [host/quotas]', async () => {
    const key = uniqueKey('waiting');
    const holder = makeExecutor().executor;
    const held = await holder.acquire({ sessionKey: key });
    const { executor } = make(2);
    const options = { sessionKey: key, labels: A, sessionWaitMs: 600_000 };
    const waiting = [executor.acquire(options), executor.execute('1', options)] as const;
    expect(
      await refusalOf(executor.acquire({ ...options, sessionKey: uniqueKey('free') })),
    ).toMatchObject(REFUSED);
    await held.release();
    await Promise.all([(await waiting[0]).release(), waiting[1]]);
  });

  it('counts programs of a session until they begin [host/quotas]', async () => {
    const [entered, opened] = [createDeferred<void>(), createDeferred<void>()];
    const run = async (): Promise<void> => {
      entered.resolve();
      await opened.promise;
    };
    const tools = new ToolRegistry([{ name: 'hold', description: 'Waits.', run }]);
    const { executor } = make(2, { tools });
    const session = await executor.acquire({ labels: A });
    const running = session.execute('await hold()');
    await entered.promise;
    const caller = new AbortController();
    const aborted = session.execute('2', { signal: caller.signal });
    const next = session.execute('print(3)');
    expect(await refusalOf(session.execute('4'))).toMatchObject(REFUSED);
    caller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    // One that gave up makes room.
    const last = session.execute('print(5)');
    opened.resolve();
    await running;
    expect((await next).stdout).toBe('3\n');
    expect((await last).stdout).toBe('5\n');
    expect((await session.execute('print(6)')).stdout).toBe('6\n');
  });

  it('makes room again if a request fails', async () => {
    const { executor } = make(1, { maxSandboxes: 1, whenFull: { action: 'reject' } });
    const held = await executor.acquire({ labels: A });
    for (let count = 0; count < 3; count += 1) {
      await expect(executor.execute('1', { labels: A })).rejects.toMatchObject({
        code: 'SANDBOX_LIMIT',
      });
      await expect(executor.acquire({ labels: A })).rejects.toMatchObject({
        code: 'SANDBOX_LIMIT',
      });
    }
    await held.release();
  });

  it('makes room again if the tools of a program clash', async () => {
    const tool = { name: 'look_up', description: 'Looks up.', run: async () => 1 };
    const base = new ToolRegistry([]);
    const tools = new ToolRegistry(base);
    tools.register(tool);
    const { executor } = make(1, { tools });
    const session = await executor.acquire({ labels: A });
    base.register(tool);
    await expect(session.start('1')).rejects.toMatchObject({ code: 'TOOL_NAME_CLASH' });
    base.remove('look_up');
    expect((await session.execute('print(2)')).stdout).toBe('2\n');
  });

  it('is 1000 if there are tenants and no other number is set [host/quotas]', async () => {
    const { executor } = makeExecutor({ fairBy, maxSandboxes: 1 });
    const first = await executor.acquire({ labels: B });
    const over = new AbortController();
    const waiting = Array.from({ length: 1000 }, async () =>
      refusalOf(executor.acquire({ labels: A, signal: over.signal })),
    );
    expect(await refusalOf(executor.acquire({ labels: A }))).toMatchObject({
      details: { quota: 'waitingRequests', limit: 1000 },
    });
    over.abort();
    expect(new Set((await Promise.all(waiting)).map(({ code }) => code))).toEqual(
      new Set(['ABORTED']),
    );
    await first.release();
  });
});

describe('requests that come in the same turn of the event loop', () => {
  it('are begun in later turns once the turn is full, and no more in each than it has time for', async () => {
    const { executor } = makeExecutor({ fairBy, maxSandboxes: 1 });
    const order: string[] = [];
    const first = await executor.acquire({ labels: B });
    const over = new AbortController();
    await setImmediate();
    // The turn has no time left, and each of the next ones is over when one request was begun.
    countLoopTime(1000);
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
    onTestFinished(() => void vi.restoreAllMocks());
    const all = [A, A, A, B].map(async (labels) =>
      refusalOf(executor.acquire({ labels, signal: over.signal })),
    );
    for (let turn = 1; turn <= 4; turn += 1) {
      await setImmediate();
      order.push(String(executor.stats().waiting));
    }
    expect(order).toEqual(['1', '2', '3', '4']);
    over.abort();
    await Promise.all(all);
    await first.release();
  });
});

it('knows only the tenants that have waiting requests', () => {
  const requests = new WaitingRequests(2);
  const leave = requests.enter('a');
  requests.enter('b');
  expect(requests.enter('a')).toBeDefined();
  expect(requests.enter('a')).toBeUndefined();
  leave?.();
  leave?.();
  expect(requests.enter('a')).toBeDefined();
  expect(requests.enter('a')).toBeUndefined();
  expect(requests.size).toBe(2);
});

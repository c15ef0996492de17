import { describe, expect, it } from 'vitest';
import type { SandboxExecutorOptions } from '../../../src/sessions/options/executor-options.ts';
import { CONCURRENT_STARTS } from '../../../src/sessions/supply/pool.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { uniqueKey } from '../../support/unique-key.ts';
import { type Made, useExecutors } from '../support.ts';

const makeExecutor = useExecutors();
const [A, B] = [{ tenant: 'a' }, { tenant: 'b' }];

/** An executor, and the tenants whose sessions were opened and evicted, in order. */
function make(options: SandboxExecutorOptions): Made & { opened: string[]; evicted: string[] } {
  const [opened, evicted]: [string[], string[]] = [[], []];
  const made = makeExecutor({
    fairBy: 'tenant',
    ...options,
    onExecutorEvent: (event) => {
      if (event.type === 'session-opened') opened.push(event.labels['tenant'] ?? 'none');
      if (event.type === 'session-closed' && event.reason === 'evicted') {
        evicted.push(event.labels['tenant'] ?? 'none');
      }
    },
  });
  return { ...made, opened, evicted };
}

/** Opens idle sessions with new keys. */
async function openIdle(
  { executor }: Made,
  labels: Record<string, string>,
  count: number,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await executor.execute('1', { sessionKey: uniqueKey(`idle-${index}`), labels });
  }
}

describe('tenants that wait for a sandbox', () => {
  it('have their turns one after another, however many programs one of them sends [host/turns]', async () => {
    const { executor, opened } = make({ maxSandboxes: 1 });
    const first = await executor.acquire({ labels: A });
    const flood = Array.from({ length: 4 }, () => executor.execute('1', { labels: A }));
    const others = [B, {}, B].map((labels) => executor.execute('1', { labels }));
    await expect.poll(() => executor.stats().waiting).toBe(7);
    await first.release();
    await Promise.all([...flood, ...others]);
    expect(opened).toEqual(['a', 'a', 'b', 'none', 'a', 'b', 'a', 'a']);
  });

  it('are served in order of arrival if no label is named', async () => {
    const opened: (string | undefined)[] = [];
    const { executor } = makeExecutor({
      maxSandboxes: 1,
      onExecutorEvent: (event) => {
        if (event.type === 'session-opened') opened.push(event.labels['tenant']);
      },
    });
    const first = await executor.acquire();
    const all = [A, A, B].map((labels) => executor.execute('1', { labels }));
    await expect.poll(() => executor.stats().waiting).toBe(3);
    await first.release();
    await Promise.all(all);
    expect(opened).toEqual([undefined, 'a', 'a', 'b']);
  });

  it('are no tenants by what every object inherits', async () => {
    const whenFull = { action: 'reject' } as const;
    const { executor } = make({ fairBy: 'constructor', quotas: { sandboxes: 1 }, whenFull });
    await executor.acquire();
    await expect(executor.acquire()).rejects.toMatchObject({ details: { tenant: undefined } });
  });

  it('have their turns to start one, before the pool [host/turns]', async () => {
    const local = unisolatedLocalProvider();
    const gates: { readonly tenant: unknown; readonly open: () => void }[] = [];
    const { executor } = make({
      provider: {
        ...local,
        create: async (spec, options) => {
          const gate = createDeferred<void>();
          gates.push({ tenant: spec.sessionId, open: () => gate.resolve() });
          await gate.promise;
          return local.create(spec, options);
        },
      },
    });
    const opening = new Map<string, string>();
    const ask = (name: string, tenant: string) => {
      const done = executor.acquire({ labels: { tenant } });
      return done.then((session) => {
        opening.set(session.id, name);
        return session.release();
      });
    };
    const all = Array.from({ length: CONCURRENT_STARTS }, () => ask('first', 'a'));
    await expect.poll(() => gates.length).toBe(CONCURRENT_STARTS);
    all.push(ask('a1', 'a'), ask('a2', 'a'), ask('a3', 'a'), ask('b1', 'b'), ask('b2', 'b'));
    await expect.poll(() => executor.stats().starting).toBe(CONCURRENT_STARTS + 5);
    for (let next = 0; next < CONCURRENT_STARTS + 5; next += 1) {
      await expect.poll(() => gates.length).toBeGreaterThan(next);
      gates[next]?.open();
    }
    await Promise.all(all);
    const order = gates.slice(CONCURRENT_STARTS).map(({ tenant }) => opening.get(String(tenant)));
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('evict a session of the tenant that has most, and of it the one that was unused for longest', async () => {
    const made = make({ maxSandboxes: 4, whenFull: { action: 'evict' } });
    await openIdle(made, B, 1);
    await openIdle(made, A, 3);
    await openIdle(made, { tenant: 'c' }, 1);
    expect(made.evicted).toEqual(['a']);
    // All of a's were used after b's, which is older.
    await openIdle(made, B, 1);
    expect(made.evicted).toEqual(['a', 'a']);
  });
});

describe('a tenant that needs room', () => {
  const whenFull = { action: 'evict', timeoutMs: 1 } as const;
  const REFUSED = { code: 'SANDBOX_LIMIT' };

  it('evicts no session of a tenant that has fewer, whether its own are open or start', async () => {
    const made = make({ maxSandboxes: 3, whenFull });
    await openIdle(made, B, 1);
    const asked = [1, 2, 3].map(async () => made.executor.acquire({ labels: A }));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: REFUSED },
    ]);
    await expect(made.executor.acquire({ labels: A })).rejects.toMatchObject(REFUSED);
    expect(made.evicted).toEqual([]);
  });

  it('evicts none of a tenant that has as many, but its own that nobody uses', async () => {
    const made = make({ maxSandboxes: 2, whenFull: { action: 'evict' } });
    await openIdle(made, B, 2);
    const key = uniqueKey('first');
    const first = await made.executor.acquire({ sessionKey: key, labels: A });
    expect(made.evicted).toEqual(['b']);
    // It has one, and so has b, although nobody uses that of b.
    const second = made.executor.acquire({ labels: A });
    await expect.poll(() => made.executor.stats().waiting).toBe(1);
    expect(made.executor.stats().idle).toBe(2);
    await first.release();
    await (await second).release();
    expect(made.evicted).toEqual(['b', 'a']);
  });

  it('evicts the only one of another tenant if it has none', async () => {
    const made = make({ maxSandboxes: 1, whenFull: { action: 'evict' } });
    await openIdle(made, B, 1);
    await openIdle(made, A, 1);
    expect(made.evicted).toEqual(['b']);
  });
});

it('a tool learns the tenant of its call, by the labels of the program or its session', async () => {
  const tenants: unknown[] = [];
  const run = (_input: unknown, { tenant }: ToolContext): void => void tenants.push(tenant);
  const tools = new ToolRegistry([{ name: 'note', description: 'Notes.', run }]);
  const { executor } = make({ tools });
  const session = await executor.acquire({ labels: A });
  await session.execute('await note()');
  await session.execute('await note()', { labels: B });
  await session.execute('await note()', { labels: { user: 'a' } });
  expect(tenants).toEqual(['a', 'b', undefined]);
});

describe('the options for tenants', () => {
  it.each([
    [{ fairBy: '' }, 'fairBy'],
    [{ fairBy: 5 as unknown as string }, 'fairBy'],
    [{ quotas: { sandboxes: 1 } }, 'fairBy'],
    [{ fairBy: 'tenant', quotas: { sandboxes: 0 } }, 'quotas.sandboxes'],
    [{ fairBy: 'tenant', quotas: { programsPerMinute: 1.5 } }, 'quotas.programsPerMinute'],
    [{ fairBy: 'tenant', quotas: { concurrentPrograms: Number.NaN } }, 'quotas.concurrentPrograms'],
    [{ fairBy: 'tenant', quotas: { program: 1 } as object }, 'program'],
  ])('%j are refused', (options, option) => {
    expect(() => makeExecutor(options)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        details: expect.objectContaining({ option }),
      }),
    );
  });
});

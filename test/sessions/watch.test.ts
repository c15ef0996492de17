import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import type { ExecutorEvent } from '../../src/sessions/executor-watch.ts';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { createDeferred, type Deferred } from '../../src/shared/async/deferred.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { attached, FakeRunner } from '../support/fake-runner.ts';
import { killLocalSandbox, unisolatedLocalProvider } from '../support/local-provider.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

const NOTHING = {
  ...{ ready: 0, starting: 0, busy: 0, idle: 0, waiting: 0 },
  ...{ starts: 0, failedStarts: 0, poolHits: 0, evicted: 0, expired: 0 },
};

/** A local provider whose sandboxes start when they are told to. */
function gatedProvider(): {
  readonly sandbox: SandboxProvider;
  readonly started: Promise<void>;
  readonly gate: Deferred<void>;
} {
  const local = unisolatedLocalProvider();
  const [started, gate] = [createDeferred<void>(), createDeferred<void>()];
  const create: SandboxProvider['create'] = async (...args) => {
    started.resolve();
    await gate.promise;
    return local.create(...args);
  };
  return { sandbox: { ...local, create }, started: started.promise, gate };
}

/** A provider with a sandbox that an earlier process left, and whose runner answers or ends. */
function leftProvider(answers: boolean): SandboxProvider {
  const runner = new FakeRunner();
  runner.onMessage = (message) => {
    if (message.kind !== 'attach') return;
    if (answers) runner.say(attached(message.attach_id));
    else runner.end();
  };
  const left = { id: 'left', transport: runner, close: async () => {}, detach: async () => {} };
  return { ...unisolatedLocalProvider(), attach: async () => left };
}

interface Watched {
  readonly executor: SandboxExecutor;
  readonly events: ExecutorEvent[];
  /** The next event of a type, if none was there yet. */
  readonly event: (type: ExecutorEvent['type']) => Promise<ExecutorEvent>;
}

function watch(options: SandboxExecutorOptions = {}): Watched {
  const events: ExecutorEvent[] = [];
  const waiting = new Map<string, Deferred<ExecutorEvent>>();
  const deferredOf = (type: string): Deferred<ExecutorEvent> => {
    const deferred = waiting.get(type) ?? createDeferred<ExecutorEvent>();
    waiting.set(type, deferred);
    return deferred;
  };
  const { executor } = make({
    ...options,
    onExecutorEvent: (event) => {
      events.push(event);
      deferredOf(event.type).resolve(event);
    },
  });
  return { executor, events, event: async (type) => deferredOf(type).promise };
}

/** A tool that says when it is called, and answers when it is told to. */
function holding(): {
  readonly tools: ToolRegistry;
  readonly called: Promise<void>;
  readonly answer: () => void;
} {
  const [called, gate] = [createDeferred<void>(), createDeferred<void>()];
  const run = async (): Promise<void> => {
    called.resolve();
    await gate.promise;
  };
  const tools = new ToolRegistry([{ name: 'hold', description: 'Holds.', run }]);
  return { tools, called: called.promise, answer: () => gate.resolve() };
}

describe('the figures of an executor', () => {
  it('tell what the pool has, what starts, and what came from it', async () => {
    const { sandbox, started, gate } = gatedProvider();
    const { executor } = make({ provider: sandbox, pool: { minReady: 1 } });
    expect(executor.stats()).toEqual(NOTHING);
    const warming = executor.warmUp();
    await started;
    expect(executor.stats()).toEqual({ ...NOTHING, starting: 1, starts: 1 });
    gate.resolve();
    await warming;
    expect(executor.stats()).toEqual({ ...NOTHING, ready: 1, starts: 1 });
    const session = await executor.acquire();
    expect(executor.stats()).toMatchObject({ idle: 1, poolHits: 1 });
    expect(await session.info()).toMatchObject({ fromPool: true });
    await executor.warmUp();
    expect(executor.stats()).toEqual({ ...NOTHING, ready: 1, idle: 1, starts: 2, poolHits: 1 });
    await session.release();
    expect(executor.stats()).toEqual({ ...NOTHING, ready: 1, starts: 2, poolHits: 1 });
  });

  it('tell which sessions are busy, who waits for a sandbox, and what was evicted', async () => {
    const { tools, called, answer } = holding();
    const full = { maxSandboxes: 1, whenFull: { action: 'evict' } } as const;
    const { executor, event } = watch({ tools, ...full });
    const holder = executor.execute('await hold()', { sessionKey: randomUUID() });
    await called;
    expect(executor.stats()).toEqual({ ...NOTHING, busy: 1, starts: 1 });
    const next = executor.execute('print("next")');
    expect(await event('request-queued')).toEqual({ type: 'request-queued', waiting: 1 });
    expect(executor.stats()).toEqual({ ...NOTHING, busy: 1, waiting: 1, starts: 1 });
    answer();
    await holder;
    expect(await next).toMatchObject({ stdout: 'next\n' });
    expect(executor.stats()).toEqual({ ...NOTHING, starts: 2, evicted: 1 });
  });

  it('tell what expired', async () => {
    const { executor, event } = watch({ sessionIdleTimeoutMs: 300, cleanupIntervalMs: 5 });
    const key = randomUUID();
    const { sessionId } = await executor.execute('1', { sessionKey: key });
    expect(await event('session-closed')).toEqual({
      type: 'session-closed',
      sessionId,
      sessionKey: key,
      labels: {},
      reason: 'expired',
    });
    expect(executor.stats()).toEqual({ ...NOTHING, starts: 1, expired: 1 });
  });

  it('tell which starts failed', async () => {
    const local = unisolatedLocalProvider();
    const failure = new Error('no luck');
    const sandbox: SandboxProvider = {
      ...local,
      create: async () => {
        throw failure;
      },
    };
    const { executor, events } = watch({ provider: sandbox });
    await expect(executor.execute('1')).rejects.toThrow('no luck');
    expect(executor.stats()).toEqual({ ...NOTHING, starts: 1, failedStarts: 1 });
    expect(events).toEqual([
      { type: 'sandbox-failed', durationMs: expect.any(Number), error: failure },
    ]);
  });
});

describe('the events of an executor', () => {
  it('tell of a session from its sandbox’s start to its end', async () => {
    const { executor, events } = watch();
    const labels = { tenant: 'acme' };
    const { sessionId } = await executor.execute('1', { labels });
    const name = { sessionId, sessionKey: undefined, labels };
    expect(events).toEqual([
      { type: 'sandbox-started', durationMs: expect.any(Number) },
      {
        type: 'session-opened',
        ...name,
        provider: 'unisolated-local',
        startDurationMs: expect.any(Number),
        fromPool: false,
        resumed: undefined,
      },
      { type: 'session-closed', ...name, reason: 'closed' },
    ]);
    const [started, opened] = events;
    if (started?.type !== 'sandbox-started' || opened?.type !== 'session-opened') return;
    expect(started.durationMs).toBeGreaterThan(0);
    expect(opened.startDurationMs).toBeGreaterThanOrEqual(started.durationMs);
  });

  it('tell that a sandbox of an earlier process was taken over', async () => {
    const { executor, events } = watch({ provider: leftProvider(true) });
    await executor.acquire({ sessionKey: randomUUID(), persistent: true });
    expect(events).toEqual([
      { type: 'sandbox-resumed', durationMs: expect.any(Number) },
      expect.objectContaining({ type: 'session-opened', resumed: 'idle' }),
    ]);
    expect(executor.stats()).toEqual({ ...NOTHING, idle: 1 });
  });

  it('tell that a sandbox of an earlier process could not be taken over', async () => {
    const { executor, events } = watch({ provider: leftProvider(false) });
    const acquired = executor.acquire({ sessionKey: randomUUID(), persistent: true });
    await expect(acquired).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
    expect(events).toEqual([
      {
        type: 'sandbox-failed',
        durationMs: expect.any(Number),
        error: expect.objectContaining({ code: 'SANDBOX_LOST' }),
      },
    ]);
    expect(executor.stats()).toEqual(NOTHING);
  });

  it('tell why a session ended', async () => {
    const { executor, events } = watch();
    const key = randomUUID();
    const session = await executor.acquire({ sessionKey: key });
    await session.reset();
    await session.execute('import os\nos._exit(3)');
    await executor.execute('1', { sessionKey: key });
    await executor.close();
    const reasons = events.flatMap((event) =>
      event.type === 'session-closed' ? [[event.sessionKey, event.reason]] : [],
    );
    expect(reasons).toEqual([
      [key, 'reset'],
      [key, 'sandbox-lost'],
      [key, 'closed'],
    ]);
    expect(events.filter(({ type }) => type === 'session-opened')).toHaveLength(3);
  });

  it('tell of a sandbox that died while nobody used it', async () => {
    const provider = unisolatedLocalProvider();
    const created = createDeferred<Parameters<typeof killLocalSandbox>[0]>();
    const sandbox: SandboxProvider = {
      ...provider,
      create: async (...args) => {
        const made = await provider.create(...args);
        created.resolve(made);
        return made;
      },
    };
    const { executor, event } = watch({ provider: sandbox });
    const session = await executor.acquire();
    await killLocalSandbox(await created.promise);
    expect(await event('session-closed')).toMatchObject({
      sessionId: session.id,
      reason: 'sandbox-lost',
    });
    expect(executor.stats()).toMatchObject({ busy: 0, idle: 0 });
  });

  it('end nothing if their listener fails', async () => {
    const { executor } = make({
      onExecutorEvent: () => {
        throw new Error('a listener of the test’s');
      },
    });
    expect(await executor.execute('print("unharmed")')).toMatchObject({ stdout: 'unharmed\n' });
  });
});

import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONCURRENT_STARTS, SandboxPool } from '../../src/sessions/supply/pool.ts';
import { StartedSandbox } from '../../src/sessions/supply/started-sandbox.ts';
import { DEFAULT_BUDGETS } from '../../src/execution/limits/execution-budgets.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { refusalOf } from '../orchestrator/support.ts';
import { FakeRunner, ready } from '../support/fake-runner.ts';
import { killLocalSandbox, unisolatedLocalProvider } from '../support/local-provider.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { useExecutors } from './support.ts';
import { uniqueKey } from '../support/unique-key.ts';

const POOLED = uniqueKey('pooled');

const make = useExecutors();

// Before the executors are closed: of such hooks the last comes first.
afterEach(() => {
  vi.useRealTimers();
});

/** Sandboxes in memory, as many as are wanted: it is how many are started that is under test, and when. */
class Sandboxes {
  readonly runners: FakeRunner[] = [];
  open = 0;
  starting = 0;
  mostStarting = 0;
  failure: Error | undefined;

  readonly start = async (signal: AbortSignal): Promise<StartedSandbox> => {
    const provider = { ...unisolatedLocalProvider(), create: async () => this.#create() };
    const settings = {
      provider,
      languages: ['python'] as const,
      limits: DEFAULT_LIMITS,
      showLastValue: true,
      maxOutputBytes: 1024,
      budgets: DEFAULT_BUDGETS,
      startTimeoutMs: 1000,
      idleTimeoutMs: 1000,
    };
    this.starting += 1;
    this.mostStarting = Math.max(this.mostStarting, this.starting);
    try {
      const permit = { release: () => {}, refuse: () => {}, giveTo: () => {} };
      return await StartedSandbox.start(settings, permit, signal);
    } finally {
      this.starting -= 1;
    }
  };

  async #create(): Promise<Awaited<ReturnType<RecordingProvider['create']>>> {
    await Promise.resolve();
    if (this.failure !== undefined) throw this.failure;
    const runner = new FakeRunner();
    this.runners.push(runner);
    this.open += 1;
    setImmediate(() => runner.say(ready()));
    const close = async (): Promise<void> => {
      this.open -= 1;
    };
    return { id: String(this.runners.length), transport: runner, close };
  }
}

describe('a warm pool', () => {
  it('gives a run a sandbox that stood ready, fills the gap, and takes none back', async () => {
    const { executor, provider } = make({ pool: { minReady: 1 } });
    await executor.warmUp();
    const [id] = provider.created.keys();
    const result = await executor.execute('left = 1\nprint("ran")');
    expect(result).toMatchObject({ stdout: 'ran\n' });
    expect(executor.stats().poolHits).toBe(1);
    expect(provider.created.has(result.sessionId)).toBe(false);
    expect(provider.open.has(id ?? '')).toBe(false);
    const next = await executor.execute('print("left" in globals())');
    expect(next.stdout).toBe('False\n');
    expect(next.sessionId).not.toBe(result.sessionId);
  });

  it('starts the next sandbox when the caller has the result of the first program', async () => {
    // No time passes, so only the end of the program can be the reason.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { executor, provider } = make({ pool: { minReady: 1 } });
    await executor.warmUp();
    const session = await executor.acquire();
    await session.execute('print("ran")');
    expect(provider.created.size).toBe(1);
    await expect.poll(() => provider.created.size).toBe(2);
    await session.release();
  });

  it('starts the next sandbox while a long program runs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const sandboxes = new Sandboxes();
    const pool = new SandboxPool({ minReady: 1 }, sandboxes.start);
    await pool.warmUp();
    const taken = pool.take();
    vi.advanceTimersByTime(49);
    expect(sandboxes.runners).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await expect.poll(() => sandboxes.runners.length).toBe(2);
    await Promise.all([pool.close(), taken?.close()]);
  });

  it('serves a key with a sandbox that has another id, whose tools hear of the session', async () => {
    const tools = new ToolRegistry();
    const { executor, provider } = make({ pool: { minReady: 1 }, tools });
    const seen: string[] = [];
    tools.register(
      defineTool({
        name: 'tell',
        description: 'Tells.',
        run: async (_input, context) => {
          seen.push(context.sessionId ?? '');
        },
      }),
    );
    await executor.warmUp();
    const handle = await executor.acquire({ sessionKey: POOLED });
    const result = await handle.execute('await tell()');
    expect(result).toMatchObject({ status: 'ok', sessionId: handle.id });
    expect(seen).toEqual([handle.id]);
    expect(provider.created.has(handle.id)).toBe(false);
    await handle.execute('kept = 1');
    await handle.reset();
    expect(await handle.execute('print("kept" in globals())')).toMatchObject({
      stdout: 'False\n',
      sessionId: handle.id,
    });
  });

  it('is filled when the sandbox is chosen, and gone when the executor is closed', async () => {
    const { executor, provider } = make({ pool: { minReady: 2 } });
    await executor.providerName();
    await expect.poll(() => provider.open.size).toBe(2);
    await executor.warmUp();
    await executor.close();
    expect(provider.open.size).toBe(0);
    await expect(executor.warmUp()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('ends the starts under way when the executor is closed', async () => {
    const { executor, provider } = make({ pool: { minReady: 2 } });
    const warming = executor.warmUp().catch((error: unknown) => error);
    await executor.providerName();
    await executor.close();
    expect(await warming).toMatchObject({ code: 'CLOSED' });
    // On a busy machine a process may take longer to start, and to end, than close waits.
    await expect.poll(() => provider.open.size).toBe(0);
  });

  it('never hands out a sandbox that died, and replaces it', async () => {
    const { executor, provider } = make({ pool: { minReady: 1 } });
    await executor.warmUp();
    const [[id, sandbox] = []] = provider.created;
    if (sandbox) await killLocalSandbox(sandbox);
    await expect.poll(() => provider.open.has(id ?? '')).toBe(false);
    const result = await executor.execute('print("alive")');
    expect(result.stdout).toBe('alive\n');
    await expect.poll(() => provider.open.size).toBe(1);
  });

  it('starts no more at a time than do one another good', async () => {
    const sandboxes = new Sandboxes();
    const minReady = 2 * CONCURRENT_STARTS + 1;
    const pool = new SandboxPool({ minReady }, sandboxes.start);
    await pool.warmUp();
    expect(sandboxes.open).toBe(minReady);
    expect(sandboxes.mostStarting).toBe(CONCURRENT_STARTS);
    await pool.close();
    expect(sandboxes.open).toBe(0);
  });

  it('keeps as many as were taken in the last minute, within its bounds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const sandboxes = new Sandboxes();
    const pool = new SandboxPool({ minReady: 1, maxReady: 3 }, sandboxes.start);
    await pool.warmUp();
    const taken = [];
    for (let i = 0; i < 5; i += 1) {
      taken.push(pool.take());
      const wanted = Math.min(i + 1, 3);
      await expect.poll(() => sandboxes.open - taken.length).toBe(wanted);
    }
    expect(taken.every((sandbox) => sandbox !== undefined)).toBe(true);
    vi.advanceTimersByTime(60_001);
    pool.trim();
    expect(sandboxes.open - taken.length).toBe(1);
    await pool.close();
  });

  it('tells who warms it why a start failed, and tries again only after a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const sandboxes = new Sandboxes();
    const start = vi.fn<typeof sandboxes.start>(sandboxes.start);
    sandboxes.failure = new PtcError('SANDBOX_START_FAILED', 'no luck');
    const pool = new SandboxPool({ minReady: 1 }, start);
    await expect(pool.warmUp()).rejects.toBe(sandboxes.failure);
    vi.advanceTimersByTime(249);
    expect(start).toHaveBeenCalledTimes(1);
    sandboxes.failure = undefined;
    vi.advanceTimersByTime(1);
    expect(start).toHaveBeenCalledTimes(2);
    await expect.poll(() => pool.take()).toBeDefined();
    await pool.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells who warms it that sessions have all sandboxes', async () => {
    const { executor } = make({ maxSandboxes: 1, pool: { minReady: 1 } });
    await executor.acquire();
    await expect(executor.warmUp()).rejects.toMatchObject({
      code: 'SANDBOX_LIMIT',
      message: expect.stringContaining('raise maxSandboxes'),
    });
  });

  it.each([false, true])(
    'tells who warms it that a session has the room of its start, persistent: %s',
    async (persistent) => {
      const starting = createDeferred<void>();
      const local = unisolatedLocalProvider();
      const create = vi.fn<SandboxProvider['create']>(async (...given) => local.create(...given));
      // The one of the pool starts until its start is ended.
      create.mockImplementationOnce(
        async (_spec, { signal } = {}) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(new PtcError('ABORTED', 'Ended.')));
            starting.resolve();
          }),
      );
      const provider = { ...local, create, attach: async () => undefined };
      const { executor } = make({ provider, maxSandboxes: 1, pool: { minReady: 1 } });
      const warming = refusalOf(executor.warmUp());
      await starting.promise;
      const session = await executor.acquire({ sessionKey: randomUUID(), persistent });
      expect(await warming).toMatchObject({ code: 'SANDBOX_LIMIT' });
      await session.destroy();
      await executor.warmUp();
      expect(executor.stats().ready).toBe(1);
    },
  );

  it('does not start one after the other where each dies at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const sandboxes = new Sandboxes();
    const pool = new SandboxPool({ minReady: 1 }, sandboxes.start);
    await pool.warmUp();
    sandboxes.runners[0]?.end();
    await expect.poll(() => sandboxes.open).toBe(0);
    vi.advanceTimersByTime(249);
    expect(sandboxes.runners).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await expect.poll(() => sandboxes.open).toBe(1);
    await pool.close();
  });
});

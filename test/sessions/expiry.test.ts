import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeferred, type Deferred } from '../../src/shared/async/deferred.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type { Session } from '../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';

/** Sessions live this long; the clock and the timers are turned by hand, sandboxes and their streams are real. */
const LIFETIME_MS = 270_000;

describe('a session that nobody uses', () => {
  let provider: RecordingProvider;
  let executor: SandboxExecutor;
  let waitAtGate: Tool;
  let entered: Deferred<void>;
  let gate: Deferred<void>;

  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
    });
    entered = createDeferred();
    gate = createDeferred();
    provider = new RecordingProvider(unisolatedLocalProvider());
    waitAtGate = defineTool({
      name: 'wait_at_gate',
      description: 'Waits.',
      timeoutMs: 10_000_000,
      run: async () => {
        entered.resolve();
        await gate.promise;
      },
    });
    executor = new SandboxExecutor({ provider, tools: new ToolRegistry([waitAtGate]) });
  });

  afterEach(async () => {
    gate.resolve();
    vi.useRealTimers();
    await executor.close();
  });

  const open = async (): Promise<Session> => {
    const session = await executor.acquire();
    await session.execute('kept = 1');
    return session;
  };

  it('expires, is no longer listed, and its id is an error that says so [case 81]', async () => {
    const session = await open();
    vi.advanceTimersByTime(LIFETIME_MS - 1);
    expect((await executor.sessionInfo({ id: session.id }))?.state).toBe('idle');
    vi.advanceTimersByTime(1);
    expect(await executor.sessionInfo({ id: session.id })).toBeUndefined();
    expect(executor.activeSessions).toEqual([]);
    await expect(session.execute('1')).rejects.toMatchObject({
      code: 'SESSION_EXPIRED',
      details: { sessionId: session.id },
    });
    vi.useRealTimers();
    await executor.close();
    expect(provider.open.size).toBe(0);
  });

  it('lives on from each run anew', async () => {
    const session = await open();
    for (let i = 0; i < 3; i += 1) {
      vi.advanceTimersByTime(LIFETIME_MS - 1);
      expect(await session.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
    }
  });

  it('is replaced if its key is acquired again, and the new one has none of its state [case 85]', async () => {
    const key = randomUUID();
    await executor.execute('kept = 1', { sessionKey: key });
    vi.advanceTimersByTime(LIFETIME_MS);
    const next = await executor.acquire({ sessionKey: key });
    expect(next.isNew).toBe(true);
    expect(await next.execute('print("kept" in globals())')).toMatchObject({ stdout: 'False\n' });
    expect(provider.open.size).toBe(1);
  });

  it('has its sandbox removed by the cleanup, which the first kept session starts', async () => {
    const session = await open();
    expect(provider.open.has(session.id)).toBe(true);
    vi.advanceTimersByTime(LIFETIME_MS + 60_000);
    vi.useRealTimers();
    await expect.poll(() => provider.open.size).toBe(0);
  });

  it('is not that one in which a program runs, however long it does [case 83]', async () => {
    const session = await open();
    const running = session.execute('await wait_at_gate()\nprint(kept)', {
      timeoutMs: 10_000_000,
    });
    await entered.promise;
    vi.advanceTimersByTime(LIFETIME_MS * 3);
    expect((await executor.sessionInfo({ id: session.id }))?.state).toBe('busy');
    gate.resolve();
    expect(await running).toMatchObject({ status: 'ok', stdout: '1\n', sessionOpen: true });
    expect((await executor.sessionInfo({ id: session.id }))?.state).toBe('idle');
  });

  it('outlives the run that starts just before it would expire, and counts anew from its end [case 83]', async () => {
    const session = await open();
    vi.advanceTimersByTime(LIFETIME_MS - 100);
    const running = session.execute('await wait_at_gate()', { timeoutMs: 10_000_000 });
    const queued = session.execute('print(kept)');
    await entered.promise;
    vi.advanceTimersByTime(LIFETIME_MS);
    gate.resolve();
    expect(await running).toMatchObject({ status: 'ok', sessionOpen: true });
    expect(await queued).toMatchObject({ stdout: '1\n' });
    vi.advanceTimersByTime(LIFETIME_MS - 1);
    expect((await executor.sessionInfo({ id: session.id }))?.state).toBe('idle');
  });

  it('counts anew from the moment that a program is aborted that waits for a quota', async () => {
    const tools = new ToolRegistry([waitAtGate]);
    const quotas = { concurrentPrograms: 1 };
    await using shared = new SandboxExecutor({ provider, tools, fairBy: 'tenant', quotas });
    const labels = { tenant: 'a' };
    const [session, other] = [await shared.acquire({ labels }), await shared.acquire({ labels })];
    await session.execute('kept = 1');
    const running = other.execute('await wait_at_gate()', { timeoutMs: 10_000_000 });
    await entered.promise;
    const caller = new AbortController();
    const waiting = session.execute('1', { signal: caller.signal });
    await expect.poll(() => shared.stats().busy).toBe(2);
    vi.advanceTimersByTime(LIFETIME_MS);
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    vi.advanceTimersByTime(LIFETIME_MS - 1);
    gate.resolve();
    await running;
    expect(await session.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
  });

  it('is an error that says so also when its sandbox is long gone [case 85]', async () => {
    const session = await open();
    vi.advanceTimersByTime(LIFETIME_MS + 60_000);
    vi.useRealTimers();
    await expect.poll(() => provider.open.size).toBe(0);
    await expect(session.execute('1')).rejects.toMatchObject({
      code: 'SESSION_EXPIRED',
      details: { sessionId: session.id, reason: 'expired' },
    });
  });

  it('expires with its key although a handle is not released, and the key gets a new one', async () => {
    const key = randomUUID();
    const handle = await executor.acquire({ sessionKey: key });
    await handle.execute('kept = 1');
    vi.advanceTimersByTime(LIFETIME_MS);
    await expect(handle.execute('1')).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
    const fresh = await executor.acquire({ sessionKey: key });
    expect(await fresh.execute('print("kept" in globals())')).toMatchObject({ stdout: 'False\n' });
  });

  it('has orphaned sandboxes removed by the same cleanup, whose failures end nothing', async () => {
    const messages: string[] = [];
    const removeOrphans = vi.fn<() => Promise<never>>(async () => {
      throw new Error('no engine');
    });
    await using other = new SandboxExecutor({
      provider: { ...unisolatedLocalProvider(), removeOrphans },
      onProgress: (message) => messages.push(message),
    });
    await other.execute('1', { sessionKey: randomUUID() });
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await expect.poll(() => removeOrphans).toHaveBeenCalledTimes(1);
    await expect.poll(() => messages.join()).toContain('no engine');
  });

  it('looks for orphaned sandboxes no longer than until it is closed', async () => {
    const messages: string[] = [];
    let isEnded = false;
    const removeOrphans = vi.fn<NonNullable<SandboxProvider['removeOrphans']>>(
      async ({ signal } = {}) => {
        await once(signal ?? new AbortController().signal, 'abort');
        isEnded = true;
        throw new Error('the search was ended');
      },
    );
    const other = new SandboxExecutor({
      provider: { ...unisolatedLocalProvider(), removeOrphans },
      onProgress: (message) => messages.push(message),
    });
    await other.execute('1', { sessionKey: randomUUID() });
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await expect.poll(() => removeOrphans).toHaveBeenCalledTimes(1);
    await other.close();
    await expect.poll(() => isEnded).toBe(true);
    expect(messages).toEqual([]);
  });
});

describe('a session with a short life', () => {
  it('is gone by the real clock [case 81]', async () => {
    const provider = new RecordingProvider(unisolatedLocalProvider());
    await using executor = new SandboxExecutor({
      provider,
      sessionIdleTimeoutMs: 400,
      cleanupIntervalMs: 20,
    });
    const session = await executor.acquire();
    await expect.poll(() => provider.open.size).toBe(0);
    await expect(session.execute('1')).rejects.toMatchObject({
      code: 'SESSION_EXPIRED',
    });
  });
});

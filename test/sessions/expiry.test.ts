import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeferred, type Deferred } from '../../src/shared/deferred.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';

/** Sessions live this long; the clock and the timers are turned by hand, sandboxes and their streams are real. */
const LIFETIME_MS = 270_000;

describe('a session that nobody uses', () => {
  let provider: RecordingProvider;
  let executor: SandboxExecutor;
  let entered: Deferred<void>;
  let gate: Deferred<void>;

  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
    });
    entered = createDeferred();
    gate = createDeferred();
    provider = new RecordingProvider(unisolatedLocalProvider());
    const waitAtGate = defineTool({
      name: 'wait_at_gate',
      description: 'Waits.',
      timeoutMs: 10_000_000,
      run: async () => {
        entered.resolve();
        await gate.promise;
      },
    });
    executor = new SandboxExecutor({ sandbox: provider, tools: new ToolRegistry([waitAtGate]) });
  });

  afterEach(async () => {
    gate.resolve();
    vi.useRealTimers();
    await executor.close();
  });

  const open = async (): Promise<string> =>
    (await executor.execute('kept = 1', { reuseSession: true })).sessionId;

  it('expires, is no longer listed, and its id is an error that says so', async () => {
    const sessionId = await open();
    executor.stopCleanupTask();
    vi.advanceTimersByTime(LIFETIME_MS - 1);
    expect(executor.getSession(sessionId)?.state).toBe('idle');
    vi.advanceTimersByTime(1);
    expect(executor.getSession(sessionId)).toBeUndefined();
    expect(executor.activeSessions).toEqual([]);
    await expect(executor.execute('1', { sessionId })).rejects.toMatchObject({
      code: 'SESSION_EXPIRED',
      details: { sessionId },
    });
    vi.useRealTimers();
    await executor.close();
    expect(provider.open.size).toBe(0);
  });

  it('lives on from each run anew', async () => {
    const sessionId = await open();
    for (let i = 0; i < 3; i += 1) {
      vi.advanceTimersByTime(LIFETIME_MS - 1);
      expect(await executor.execute('print(kept)', { sessionId })).toMatchObject({ stdout: '1\n' });
    }
  });

  it('is replaced where a new one is asked for, and the new one has none of its state', async () => {
    const sessionId = await open();
    vi.advanceTimersByTime(LIFETIME_MS);
    const result = await executor.execute('print("kept" in globals())', {
      sessionId,
      reuseSession: true,
    });
    expect(result.stdout).toBe('False\n');
    expect(result.sessionId).not.toBe(sessionId);
  });

  it('has its sandbox removed by the cleanup, which the first kept session starts', async () => {
    const sessionId = await open();
    expect(provider.open.has(sessionId)).toBe(true);
    vi.advanceTimersByTime(LIFETIME_MS + 60_000);
    vi.useRealTimers();
    await expect.poll(() => provider.open.size).toBe(0);
  });

  it('keeps its sandbox where the cleanup is stopped', async () => {
    const sessionId = await open();
    executor.stopCleanupTask();
    vi.advanceTimersByTime(LIFETIME_MS * 2);
    expect(provider.open.has(sessionId)).toBe(true);
    executor.startCleanupTask();
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await expect.poll(() => provider.open.size).toBe(0);
  });

  it('is not that one in which a program runs, however long it does', async () => {
    const sessionId = await open();
    const running = executor.execute('await wait_at_gate()\nprint(kept)', {
      sessionId,
      timeoutMs: 10_000_000,
    });
    await entered.promise;
    vi.advanceTimersByTime(LIFETIME_MS * 3);
    expect(executor.getSession(sessionId)?.state).toBe('busy');
    gate.resolve();
    expect(await running).toMatchObject({ status: 'ok', stdout: '1\n', sessionOpen: true });
    expect(executor.getSession(sessionId)?.state).toBe('idle');
  });

  it('outlives the run that starts just before it would expire, and counts anew from its end', async () => {
    const sessionId = await open();
    vi.advanceTimersByTime(LIFETIME_MS - 100);
    const running = executor.execute('await wait_at_gate()', { sessionId, timeoutMs: 10_000_000 });
    const queued = executor.execute('print(kept)', { sessionId });
    await entered.promise;
    vi.advanceTimersByTime(LIFETIME_MS);
    gate.resolve();
    expect(await running).toMatchObject({ status: 'ok', sessionOpen: true });
    expect(await queued).toMatchObject({ stdout: '1\n' });
    vi.advanceTimersByTime(LIFETIME_MS - 1);
    expect(executor.getSession(sessionId)?.state).toBe('idle');
  });

  it('is an error that says so also when its sandbox is long gone', async () => {
    const sessionId = await open();
    vi.advanceTimersByTime(LIFETIME_MS + 60_000);
    vi.useRealTimers();
    await expect.poll(() => provider.open.size).toBe(0);
    await expect(executor.execute('1', { sessionId })).rejects.toMatchObject({
      code: 'SESSION_EXPIRED',
      details: { sessionId, reason: 'expired' },
    });
  });

  it('expires with its key although a handle is not released, and the key gets a new one', async () => {
    const key = randomUUID();
    const handle = await executor.acquire(key);
    await handle.execute('kept = 1');
    vi.advanceTimersByTime(LIFETIME_MS);
    await expect(handle.execute('1')).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
    const fresh = await executor.acquire(key);
    expect(await fresh.execute('print("kept" in globals())')).toMatchObject({ stdout: 'False\n' });
  });

  it('has orphaned sandboxes removed by the same cleanup, whose failures end nothing', async () => {
    const messages: string[] = [];
    const removeOrphans = vi.fn<() => Promise<never>>(async () => {
      throw new Error('no engine');
    });
    await using other = new SandboxExecutor({
      sandbox: { ...unisolatedLocalProvider(), removeOrphans },
      onProgress: (message) => messages.push(message),
    });
    await other.execute('1', { reuseSession: true });
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(removeOrphans).toHaveBeenCalledTimes(1));
    await vi.waitFor(() => expect(messages.join()).toContain('no engine'));
  });
});

describe('a session with a short life', () => {
  it('is gone by the real clock, unless it is used', async () => {
    const provider = new RecordingProvider(unisolatedLocalProvider());
    await using executor = new SandboxExecutor({
      sandbox: provider,
      sessionTimeoutMs: 400,
      cleanupIntervalMs: 20,
    });
    const { sessionId } = await executor.execute('import time', { reuseSession: true });
    const long = await executor.execute('time.sleep(0.6)\nprint("done")', { sessionId });
    expect(long).toMatchObject({ status: 'ok', stdout: 'done\n', sessionOpen: true });
    expect(executor.getSession(sessionId)?.state).toBe('idle');
    await expect.poll(() => provider.open.size).toBe(0);
    await expect(executor.execute('1', { sessionId })).rejects.toMatchObject({
      code: 'SESSION_EXPIRED',
    });
  });
});

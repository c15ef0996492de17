import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

/** The clock and the timers are turned by hand, sandboxes and their streams are real. */
const LIFETIME_MS = 1000;

describe('the room of a session that has expired, and that nobody released', () => {
  const executors: SandboxExecutor[] = [];

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });

  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(executors.splice(0).map((executor) => executor.close()));
  });

  function make(options: SandboxExecutorOptions): SandboxExecutor {
    const executor = new SandboxExecutor({
      provider: new RecordingProvider(unisolatedLocalProvider()),
      maxSandboxes: 1,
      sessionIdleTimeoutMs: LIFETIME_MS,
      ...options,
    });
    executors.push(executor);
    return executor;
  }

  it.each(['reject', 'wait', 'evict'] as const)(
    'goes to the next one that needs it, if whenFull is %s',
    async (action) => {
      const executor = make({ whenFull: { action } });
      const left = await executor.acquire();
      vi.advanceTimersByTime(LIFETIME_MS);
      const next = await executor.acquire();
      expect(await next.execute('print(1)')).toMatchObject({ stdout: '1\n' });
      await expect(left.execute('1')).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
      expect(executor.stats()).toMatchObject({ expired: 1, evicted: 0 });
    },
  );

  it('goes to one that waits for it already', async () => {
    const queued = new EventTarget();
    const waits = once(queued, 'queued');
    const executor = make({
      onExecutorEvent: ({ type }) => {
        if (type === 'request-queued') queued.dispatchEvent(new Event('queued'));
      },
    });
    await executor.acquire();
    const waiting = executor.acquire();
    await waits;
    vi.advanceTimersByTime(LIFETIME_MS);
    const next = await waiting;
    expect(await next.execute('print(1)')).toMatchObject({ stdout: '1\n' });
  });

  it('goes to a tenant that has reached its quota only if the session was one of its own', async () => {
    const executor = make({
      maxSandboxes: 2,
      whenFull: { action: 'reject' },
      fairBy: 'tenant',
      quotas: { sandboxes: 1 },
    });
    await executor.acquire({ labels: { tenant: 'other' } });
    vi.advanceTimersByTime(LIFETIME_MS / 2);
    await executor.acquire({ labels: { tenant: 'own' } });
    vi.advanceTimersByTime(LIFETIME_MS / 2);
    const again = async () => executor.acquire({ labels: { tenant: 'own' } });
    await expect(again()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(executor.stats().expired).toBe(0);
    vi.advanceTimersByTime(LIFETIME_MS / 2);
    await again();
    expect(executor.stats().expired).toBe(1);
  });
});

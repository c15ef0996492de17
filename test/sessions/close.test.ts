import { describe, expect, it, vi } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { uniqueKey } from '../support/unique-key.ts';

const HANGING = uniqueKey('hanging');
const CLOSING = uniqueKey('closing');
const ANOTHER = uniqueKey('another');
const THIRD = uniqueKey('third');

/** A double: its sandboxes are real, but their `close` never returns until it is told to. No engine can be made to hang on demand. */
function hangingProvider(onCreate: () => void): {
  provider: SandboxProvider;
  letGo: () => Promise<void>;
} {
  const local = unisolatedLocalProvider();
  const closes: (() => Promise<void>)[] = [];
  const provider: SandboxProvider = {
    ...local,
    create: async (spec, options) => {
      onCreate();
      const sandbox = await local.create(spec, options);
      closes.push(() => sandbox.close());
      return { ...sandbox, close: async () => new Promise(() => {}) };
    },
  };
  return {
    provider,
    letGo: async () => {
      await Promise.all(closes.map(async (close) => close()));
    },
  };
}

describe('closing an executor whose sandboxes do not go', () => {
  it('cancels the run under way, refuses those that wait, and returns though the sandbox does not end [case 92]', async () => {
    const entered = createDeferred<void>();
    const hang = defineTool({
      name: 'hang',
      description: 'Never answers.',
      run: async () => {
        entered.resolve();
        return new Promise(() => {});
      },
    });
    let starting = createDeferred<void>();
    const { provider, letGo } = hangingProvider(() => starting.resolve());
    const executor = new SandboxExecutor({ provider, tools: new ToolRegistry([hang]) });
    const handle = await executor.acquire({ sessionKey: HANGING });
    const running = handle.execute('await hang()');
    const queued = handle.execute('1').catch((error: unknown) => error);
    await entered.promise;
    starting = createDeferred();
    const once = executor.execute('await hang()').catch((error: unknown) => error);
    await starting.promise;
    await executor.close();
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect(await queued).toMatchObject({ code: 'CLOSED' });
    expect(await once).toMatchObject({ code: 'CLOSED' });
    await expect(executor.acquire({ sessionKey: HANGING })).rejects.toMatchObject({
      code: 'CLOSED',
    });
    await expect(handle.execute('1')).rejects.toMatchObject({ details: { reason: 'closed' } });
    await letGo();
  });
});

describe('closing an executor', () => {
  it('leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const executor = new SandboxExecutor({
        provider: unisolatedLocalProvider(),
        maxSandboxes: 2,
        pool: { minReady: 1 },
      });
      const handle = await executor.acquire({ sessionKey: CLOSING });
      await executor.acquire({ sessionKey: ANOTHER });
      const waiting = executor.acquire({ sessionKey: THIRD }).catch((error: unknown) => error);
      await handle.execute('1');
      expect(vi.getTimerCount()).toBeGreaterThan(0);
      await executor.close();
      expect(await waiting).toMatchObject({ code: 'CLOSED' });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('closes a session at once for the program that it cancels', async () => {
    const entered = createDeferred<void>();
    const wait = defineTool({
      name: 'wait',
      description: 'Answers when the program is cancelled.',
      run: async (_input, { signal }) => {
        entered.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        });
      },
    });
    const { provider, letGo } = hangingProvider(() => {});
    await using executor = new SandboxExecutor({ provider, tools: new ToolRegistry([wait]) });
    const session = await executor.acquire();
    const running = session.execute('await wait()');
    await entered.promise;
    session.destroy().catch(() => undefined);
    expect(await running).toMatchObject({ status: 'cancelled', sessionOpen: false });
    await letGo();
  });
});

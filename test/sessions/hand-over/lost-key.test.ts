import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { RecordingProvider } from '../../../src/testing/recording-provider.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { rejectionsDuring } from '../../support/unhandled-rejections.ts';
import { useExecutors } from '../support.ts';
import { LosableKeys } from './losable-keys.ts';

const make = useExecutors();
const LOST = expect.stringContaining('another host may have taken its key');

describe('a session whose key is lost', () => {
  it('ends with its program, refuses those that wait, and the key gets a new one', async () => {
    const keys = new LosableKeys();
    const called = createDeferred<void>();
    const ended = createDeferred<void>();
    const run = async (_arguments: unknown, { signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener('abort', () => ended.resolve());
      called.resolve();
      await ended.promise;
    };
    const tools = new ToolRegistry([{ name: 'pause', description: 'Waits.', run }]);
    const provider = Object.assign(new RecordingProvider(unisolatedLocalProvider()), { keys });
    const reasons: string[] = [];
    const { executor } = make({
      provider,
      tools,
      onExecutorEvent: (event) => {
        if (event.type === 'session-closed') reasons.push(event.reason);
      },
    });
    const session = await executor.acquire({ sessionKey: randomUUID() });
    const running = session.execute('kept = 1\nprint("so far", flush=True)\nawait pause()');
    const waiting = session.execute('1').catch((error: unknown) => error);
    await called.promise;
    keys.lose();
    expect(await running).toMatchObject({
      status: 'sandbox-lost',
      stdout: 'so far\n',
      error: { type: 'SandboxLost', message: LOST },
      sessionOpen: false,
    });
    expect(await waiting).toMatchObject({
      code: 'CLOSED',
      message: LOST,
      details: { reason: 'key-lost' },
    });
    await ended.promise;
    await expect(session.execute('1')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: LOST,
    });
    await expect.poll(() => provider.open.size).toBe(0);
    expect(reasons).toEqual(['key-lost']);

    const again = await executor.acquire({ sessionKey: session.key ?? '' });
    expect(await again.execute('print(globals().get("kept"))')).toMatchObject({
      stdout: 'None\n',
    });
  });

  it('gives a warning if its sandbox, which was closing already, cannot be closed', async () => {
    const keys = new LosableKeys();
    const closing = createDeferred<void>();
    const failed = createDeferred<void>();
    const local = unisolatedLocalProvider();
    const create: typeof local.create = async (...spec) => {
      const sandbox = await local.create(...spec);
      const close = async (): Promise<void> => {
        closing.resolve();
        await failed.promise;
        await sandbox.close();
        throw new Error('engine gone');
      };
      return { ...sandbox, close };
    };
    const { executor } = make({ provider: { ...local, create, keys } });
    const session = await executor.acquire({ sessionKey: randomUUID() });
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const unhandled = await rejectionsDuring(async () => {
      const destroyed = session.destroy();
      await closing.promise;
      keys.lose();
      failed.resolve();
      await destroyed;
    });
    expect(unhandled).toEqual([]);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'A background task of sandboxed-ptc failed: engine gone',
    ]);
  });

  it('is told so if the key is lost while its sandbox starts', async () => {
    const keys = new LosableKeys();
    const provider = unisolatedLocalProvider();
    const create: typeof provider.create = async (...spec) => {
      keys.lose();
      return provider.create(...spec);
    };
    const { executor } = make({ provider: { ...provider, create, keys } });
    await expect(executor.execute('1', { sessionKey: randomUUID() })).rejects.toMatchObject({
      code: 'CLOSED',
      details: { reason: 'key-lost' },
    });
  });
});

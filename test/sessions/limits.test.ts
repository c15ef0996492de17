import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { CONCURRENT_STARTS } from '../../src/sessions/supply/pool.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

describe('an executor with a limit on sandboxes', () => {
  it('has one-shot runs wait for one another', async () => {
    let most = 0;
    const provider = new RecordingProvider(unisolatedLocalProvider());
    const { executor } = make({
      maxSandboxes: 2,
      provider: {
        name: provider.name,
        languages: provider.languages,
        probe: async () => provider.probe(),
        close: async () => {},
        create: async (spec, options) => {
          const sandbox = await provider.create(spec, options);
          most = Math.max(most, provider.open.size);
          return sandbox;
        },
      },
    });
    const results = await Promise.all(
      Array.from({ length: 5 }, () => executor.execute('print(1)')),
    );
    expect(results.map(({ stdout }) => stdout)).toEqual(Array(5).fill('1\n'));
    expect(most).toBe(2);
  });

  it('has runs that come together start a few at a time, and those whose turn has not come can be aborted', async () => {
    const provider = new RecordingProvider(unisolatedLocalProvider());
    const gate = createDeferred<void>();
    let starting = 0;
    const slow: SandboxProvider = {
      name: provider.name,
      languages: provider.languages,
      probe: async () => provider.probe(),
      close: async () => {},
      create: async (spec, options) => {
        starting += 1;
        await gate.promise;
        return provider.create(spec, options);
      },
    };
    const { executor } = make({ provider: slow });
    const runs = Array.from({ length: CONCURRENT_STARTS }, () => executor.execute('print(1)'));
    const controller = new AbortController();
    const aborted = executor.execute('print(2)', { signal: controller.signal });
    const last = executor.execute('print(3)');
    await expect.poll(() => starting).toBe(CONCURRENT_STARTS);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    expect(starting).toBe(CONCURRENT_STARTS);
    gate.resolve();
    for (const { stdout } of await Promise.all(runs)) expect(stdout).toBe('1\n');
    expect(await last).toMatchObject({ stdout: '3\n' });
    expect(starting).toBe(CONCURRENT_STARTS + 1);
  });

  it('refuses in time where sessions leave no room, and has room again when one is closed', async () => {
    const { executor } = make({ maxSandboxes: 1, whenFull: { action: 'wait', timeoutMs: 20 } });
    const session = await executor.acquire();
    await session.execute('1');
    await expect(executor.execute('1')).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
    await session.destroy();
    expect(await executor.execute('print(2)')).toMatchObject({ stdout: '2\n' });
  });

  it('has a run that waits for room end with its signal', async () => {
    const { executor } = make({ maxSandboxes: 1 });
    await executor.acquire({ sessionKey: randomUUID() });
    const controller = new AbortController();
    const waiting = executor.execute('1', { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('evicts the session that was unused for longest, says so, and its key gets a new one', async () => {
    const closed: unknown[] = [];
    const { executor, provider } = make({
      maxSandboxes: 2,
      whenFull: { action: 'evict' },
      onExecutorEvent: (event) => {
        if (event.type === 'session-closed') closed.push([event.sessionKey, event.reason]);
      },
    });
    const [first, second] = [randomUUID(), randomUUID()];
    const { sessionId } = await executor.execute('kept = 1', { sessionKey: first });
    await executor.execute('kept = 2', { sessionKey: second });
    await executor.execute('kept = 3', { sessionKey: first });
    expect(await executor.execute('print(4)')).toMatchObject({ stdout: '4\n' });
    expect(provider.open.size).toBe(1);
    expect(executor.activeSessions).toMatchObject([{ id: sessionId }]);
    expect(closed).toEqual([
      [second, 'evicted'],
      [undefined, 'closed'],
    ]);
    expect((await executor.acquire({ sessionKey: first })).isNew).toBe(false);
    const renewed = await executor.acquire({ sessionKey: second });
    expect(renewed.isNew).toBe(true);
    expect(await renewed.execute('print("kept" in globals())')).toMatchObject({
      stdout: 'False\n',
    });
  });

  it('refuses in time where all sessions are acquired, and none can be evicted', async () => {
    const { executor } = make({ maxSandboxes: 1, whenFull: { action: 'evict', timeoutMs: 20 } });
    await executor.acquire({ sessionKey: randomUUID() });
    await expect(executor.execute('1')).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
  });

  it('never evicts a session that somebody has acquired, but does when it is released', async () => {
    const { executor } = make({ maxSandboxes: 1, whenFull: { action: 'evict' } });
    const handle = await executor.acquire({ sessionKey: randomUUID() });
    const signal = AbortSignal.timeout(50);
    await expect(executor.execute('1', { signal })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await handle.execute('print("here")')).toMatchObject({ stdout: 'here\n' });
    await handle.release();
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
  });

  it('never evicts a session without a key that its user has reset', async () => {
    const { executor } = make({ maxSandboxes: 1, whenFull: { action: 'evict', timeoutMs: 20 } });
    await using session = await executor.acquire();
    await session.reset();
    await expect(executor.execute('1')).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
    expect(await session.execute('print("here")')).toMatchObject({ stdout: 'here\n' });
    await session.release();
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
  });

  it('evicts a session for a run that waits already, as soon as it is released', async () => {
    const { executor } = make({ maxSandboxes: 1, whenFull: { action: 'evict' } });
    const handle = await executor.acquire({ sessionKey: randomUUID() });
    const waiting = executor.execute('print(1)');
    await handle.release();
    expect(await waiting).toMatchObject({ stdout: '1\n' });
  });

  it('takes the room of the pool before anybody waits', async () => {
    const { executor, provider } = make({
      maxSandboxes: 2,
      whenFull: { action: 'reject' },
      pool: { minReady: 1 },
    });
    await executor.warmUp();
    const handles = [
      await executor.acquire({ sessionKey: randomUUID() }),
      await executor.acquire({ sessionKey: randomUUID() }),
    ];
    expect(provider.open.size).toBe(2);
    await expect(executor.execute('1')).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
    for (const handle of handles) await handle.destroy();
    await expect.poll(() => provider.open.size).toBe(1);
  });
});

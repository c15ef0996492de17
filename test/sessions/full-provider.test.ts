import { describe, expect, it } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { useExecutors } from './support.ts';
import { uniqueKey } from '../support/unique-key.ts';

const RECENT = uniqueKey('recent');

const make = useExecutors();
const WORDS = 'exceeded quota: pods=2';

/** A provider that has room for so many sandboxes, of which others may have some. */
function limitedProvider(room: number): {
  readonly provider: SandboxProvider;
  /** The others end some of theirs. */
  readonly free: (count: number) => void;
  readonly refused: () => number;
} {
  const recording = new RecordingProvider(unisolatedLocalProvider());
  let left = room;
  let refused = 0;
  const provider: SandboxProvider = {
    name: recording.name,
    languages: recording.languages,
    probe: async () => recording.probe(),
    close: async () => {},
    create: async (spec, options) => {
      if (left === 0) {
        refused += 1;
        throw new PtcError('SANDBOX_LIMIT', WORDS);
      }
      left -= 1;
      const sandbox = await recording.create(spec, options);
      const close = async (): Promise<void> => {
        await sandbox.close();
        left += 1;
      };
      return { id: sandbox.id, transport: sandbox.transport, close };
    },
  };
  return { provider, free: (count) => (left += count), refused: () => refused };
}

describe('an executor whose provider has no room', () => {
  it('waits until one of its own sandboxes ends', async () => {
    const { provider } = limitedProvider(1);
    const { executor } = make({ provider });
    const session = await executor.acquire({});
    const waiting = executor.execute('print(1)');
    await expect.poll(() => executor.stats().waiting).toBe(1);
    await session.destroy();
    expect(await waiting).toMatchObject({ stdout: '1\n' });
  });

  it('tries again while it waits, because others may end theirs', async () => {
    const { provider, free, refused } = limitedProvider(0);
    const { executor } = make({ provider });
    const waiting = [1, 2, 3].map(async () => executor.execute('print(1)'));
    await expect.poll(() => executor.stats().waiting).toBe(3);
    // One of them at a time asks again.
    await expect.poll(refused).toBe(4);
    free(3);
    for (const result of await Promise.all(waiting)) expect(result.stdout).toBe('1\n');
  });

  it('fails in the words of the provider when the time of whenFull is over', async () => {
    const { provider } = limitedProvider(0);
    const { executor } = make({ provider, whenFull: { action: 'wait', timeoutMs: 50 } });
    const words = { code: 'SANDBOX_LIMIT', message: WORDS };
    const both = [executor.execute('1'), executor.execute('1')];
    for (const run of both) await expect(run).rejects.toMatchObject(words);
    expect(executor.stats()).toMatchObject({ waiting: 0, starting: 0 });
  });

  it('fails at once if whenFull says so', async () => {
    const { provider, refused } = limitedProvider(0);
    const { executor } = make({ provider, whenFull: { action: 'reject' } });
    const words = { code: 'SANDBOX_LIMIT', message: WORDS };
    await expect(executor.execute('1')).rejects.toMatchObject(words);
    expect(refused()).toBe(1);
  });

  it('closes the session that was used least recently if whenFull says so', async () => {
    const { provider } = limitedProvider(2);
    const { executor } = make({ provider, whenFull: { action: 'evict' } });
    const old = await executor.acquire({ sessionKey: uniqueKey('old') });
    await old.release();
    const recent = await executor.acquire({ sessionKey: RECENT });
    await recent.execute('kept = 1');
    await recent.release();
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    expect(await old.closing).toBe('evicted');
    const kept = await executor.acquire({ sessionKey: RECENT });
    expect(await kept.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
  });

  it('tries again also if it refuses a sandbox of the pool whose start was ended for the request', async () => {
    const { provider, free, refused } = limitedProvider(0);
    const refusal = createDeferred<void>();
    const create: SandboxProvider['create'] = async (spec, options) => {
      if (refused() === 0) options?.signal?.addEventListener('abort', () => refusal.resolve());
      if (refused() === 0) await refusal.promise;
      return provider.create(spec, options);
    };
    const { executor } = make({
      provider: { ...provider, create },
      maxSandboxes: 1,
      pool: { minReady: 1 },
    });
    await executor.providerName();
    await expect.poll(() => executor.stats().starting).toBe(1);
    const waiting = executor.execute('print(1)');
    await expect.poll(refused).toBeGreaterThan(0);
    free(1);
    expect(await waiting).toMatchObject({ stdout: '1\n' });
  });

  it('fills its pool when there is room again, without a request', async () => {
    const { provider, free, refused } = limitedProvider(0);
    const { executor } = make({ provider, pool: { minReady: 2 } });
    await executor.providerName();
    await expect.poll(refused).toBeGreaterThanOrEqual(2);
    free(2);
    await expect.poll(() => executor.stats().ready).toBe(2);
  });

  it('tells each who warms its pool what the provider says', async () => {
    const { provider } = limitedProvider(0);
    const { executor } = make({ provider, pool: { minReady: 2 } });
    const words = { code: 'SANDBOX_LIMIT', message: WORDS };
    await expect(executor.warmUp()).rejects.toMatchObject(words);
    await expect(executor.warmUp()).rejects.toMatchObject(words);
  });

  it('can be aborted and closed while requests wait', async () => {
    const { provider } = limitedProvider(0);
    const { executor } = make({ provider });
    const controller = new AbortController();
    const aborted = executor.execute('1', { signal: controller.signal });
    const closed = executor.execute('1');
    await expect.poll(() => executor.stats().waiting).toBe(2);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    const [refusal] = await Promise.allSettled([closed, executor.close()]);
    expect(refusal).toMatchObject({ status: 'rejected', reason: { code: 'CLOSED' } });
  });
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type { Session } from '../../src/sessions/executor.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { inBackground } from '../../src/shared/async/background.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

/** Counts the listeners that a signal has at a time. A signal compares each new one with those that it has. */
function countListeners(): { readonly most: () => number } {
  const counts = new WeakMap<EventTarget, number>();
  let most = 0;
  const count = (target: EventTarget, difference: number): void => {
    const next = (counts.get(target) ?? 0) + difference;
    counts.set(target, next);
    if (target instanceof AbortSignal) most = Math.max(most, next);
  };
  const { prototype } = EventTarget;
  // oxlint-disable-next-line typescript/unbound-method -- they are called with their target
  const [add, remove] = [prototype.addEventListener, prototype.removeEventListener];
  vi.spyOn(prototype, 'addEventListener').mockImplementation(function (
    this: EventTarget,
    ...given
  ) {
    count(this, 1);
    add.apply(this, given);
  });
  vi.spyOn(prototype, 'removeEventListener').mockImplementation(function (
    this: EventTarget,
    ...given
  ) {
    count(this, -1);
    remove.apply(this, given);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return { most: () => most };
}

const local = unisolatedLocalProvider();

/** A double: no engine can be made to start nothing on demand. Its starts end only if they are aborted. */
const STARTING: SandboxProvider = {
  ...local,
  create: async (_spec, { signal } = {}) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    }),
};

/** Returns the codes of the errors. */
function begin(on: Pick<Session, 'execute'>, count: number): readonly Promise<unknown>[] {
  return Array.from({ length: count }, async () =>
    on.execute('1').catch((error: unknown) => (error as { code?: unknown }).code),
  );
}

it('takes time for each request that waits, and not for each pair of them, to close', async () => {
  const executor = new SandboxExecutor({ provider: STARTING, maxSandboxes: 1 });
  const listeners = countListeners();
  const codes = begin(executor, 200);
  await expect.poll(() => executor.stats().waiting).toBe(199);
  await executor.close();
  expect(new Set(await Promise.all(codes))).toEqual(new Set(['CLOSED']));
  expect(listeners.most()).toBeLessThan(10);
});

describe('refuses in one turn of the event loop, when it closes, only some', () => {
  /** The most that are refused in one turn while the executor closes. */
  async function mostRefused(
    executor: SandboxExecutor,
    requests: readonly Promise<unknown>[],
  ): Promise<number> {
    let refused = 0;
    const codes = Promise.all(
      requests.map(async (request) => {
        const code = await request;
        refused += 1;
        return code;
      }),
    );
    const closed = executor.close();
    let most = 0;
    for (let before = 0; refused < requests.length; before = refused) {
      await nextTurn();
      most = Math.max(most, refused - before);
    }
    expect(new Set(await codes)).toEqual(new Set(['CLOSED']));
    await closed;
    return most;
  }

  it.each<[string, SandboxExecutorOptions, (executor: SandboxExecutor) => number]>([
    ['for room', { maxSandboxes: 1 }, (executor) => executor.stats().waiting + 1],
    ['for a turn to start', {}, (executor) => executor.stats().starting],
  ])('of the requests that wait %s', async (_what, options, waiting) => {
    const executor = new SandboxExecutor({ provider: STARTING, ...options });
    const requests = begin(executor, 200);
    await expect.poll(() => waiting(executor)).toBe(200);
    expect(await mostRefused(executor, requests)).toBeLessThan(10);
  });

  it('of the programs that wait in one session', async () => {
    const executor = new SandboxExecutor({ provider: local });
    const session = await executor.acquire({});
    const running = session.execute('import time; time.sleep(600)');
    const requests = begin(session, 200);
    await expect.poll(() => executor.stats().busy).toBe(1);
    expect(await mostRefused(executor, requests)).toBeLessThan(10);
    expect(await running).toMatchObject({ status: 'cancelled' });
  });
});

it('starts no sandbox for a request that waits when it closes', async () => {
  const create = vi.fn<SandboxProvider['create']>(async (...given) => {
    const sandbox = await local.create(...given);
    // Its room is free while the requests still wait.
    return { ...sandbox, close: async () => inBackground(sandbox.close()) };
  });
  const executor = new SandboxExecutor({ provider: { ...local, create }, maxSandboxes: 1 });
  const running = executor.execute('import time; time.sleep(600)');
  await expect.poll(() => executor.stats().busy).toBe(1);
  const requests = begin(executor, 20);
  await expect.poll(() => executor.stats().waiting).toBe(20);
  await executor.close();
  expect(new Set(await Promise.all(requests))).toEqual(new Set(['CLOSED']));
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect(create).toHaveBeenCalledTimes(1);
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
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

it('takes time for each request that waits, and not for each pair of them, to close', async () => {
  const local = unisolatedLocalProvider();
  const provider = { ...local, create: async () => new Promise<never>(() => {}) };
  const executor = new SandboxExecutor({ provider, maxSandboxes: 1 });
  const listeners = countListeners();
  const codes = Array.from({ length: 200 }, async () =>
    executor.execute('1').catch((error: unknown) => (error as { code?: unknown }).code),
  );
  await expect.poll(() => executor.stats().waiting).toBe(199);
  await executor.close();
  expect(new Set(await Promise.all(codes))).toEqual(new Set(['CLOSED']));
  expect(listeners.most()).toBeLessThan(10);
});

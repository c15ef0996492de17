import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AsyncLocalStorage, AsyncResource, executionAsyncId } from 'node:async_hooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DeadlineError, withinDeadline } from '../../src/tools/limits/deadline.ts';

function spin(): never {
  for (;;);
}

test('work that was ended leaves nothing of its asynchronous context behind', async () => {
  const storage = new AsyncLocalStorage<string>();
  await storage.run('outside', async () => {
    const id = executionAsyncId();
    expect(() => withinDeadline(5, () => storage.run('inside', spin))).toThrow(DeadlineError);
    expect([executionAsyncId(), storage.getStore()]).toEqual([id, 'outside']);
    await Promise.resolve();
    expect(storage.getStore()).toBe('outside');
  });
  expect(withinDeadline(1000, () => storage.run('inside', () => storage.getStore()))).toBe(
    'inside',
  );
});

test('work cannot enter a scope in which it could be ended, at which Node would end the process', () => {
  const id = executionAsyncId();
  const resource = new AsyncResource('test');
  expect(() => withinDeadline(5, () => resource.runInAsyncScope(spin))).toThrow(
    'cannot enter the scope of an AsyncResource',
  );
  expect(() => withinDeadline(5, spin)).toThrow(DeadlineError);
  expect(executionAsyncId()).toBe(id);
  expect(resource.runInAsyncScope(() => 1)).toBe(1);
});

test('a monitoring library that replaces how scopes are entered keeps its replacement', () => {
  const replacement = vi.spyOn(AsyncResource.prototype, 'runInAsyncScope');
  onTestFinished(() => replacement.mockRestore());
  expect(withinDeadline(1000, () => 1)).toBe(1);
  expect(() => withinDeadline(5, spin)).toThrow(DeadlineError);
  replacement.mockClear();
  expect(new AsyncResource('test').runInAsyncScope(() => 2)).toBe(2);
  expect(replacement).toHaveBeenCalledOnce();
});

test('work that had the processor for some of its time only is tried again', () => {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let tries = 0;
  const work = (): string => {
    tries += 1;
    if (tries > 1) return 'done';
    const end = performance.now() + 60;
    while (performance.now() < end);
    Atomics.wait(never, 0, 0);
    throw new Error('nothing ends its wait');
  };
  expect(withinDeadline(100, work)).toBe('done');
  expect(tries).toBeGreaterThan(1);
});

test('work that a busy machine gives a part of a processor has longer', () => {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let tries = 0;
  const work = (): string => {
    tries += 1;
    Atomics.wait(never, 0, 0, tries === 1 ? undefined : 100);
    return 'done';
  };
  expect(withinDeadline(20, work)).toBe('done');
});

test('the time that V8 takes for a garbage collection is not the time of the work', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // V8 stops a loop at once if it calls a function of JavaScript.
  const collectOnce = (): void => collect();
  const many = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  let tries = 0;
  const work = (): number => {
    tries += 1;
    if (tries === 1) for (;;) collectOnce();
    return many.length;
  };
  expect(withinDeadline(30, work)).toBe(many.length);
  // On a busy machine the second attempt can lose its processor too.
  expect(tries).toBeGreaterThan(1);
});

test('work that does not end is tried a few times only', () => {
  let tries = 0;
  const work = (): void => {
    tries += 1;
    spin();
  };
  expect(() => withinDeadline(100, work)).toThrow(DeadlineError);
  expect(tries).toBeLessThanOrEqual(5);
});

import { expect, test } from 'vitest';
import { SharedTask } from '../../src/shared/async/shared-task.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';

test('work is done once for all who ask', async () => {
  let count = 0;
  const task = new SharedTask(async () => (count += 1));
  const results = await Promise.all([task.result(undefined), task.result(undefined)]);
  expect([...results, await task.result(undefined)]).toEqual([1, 1, 1]);
});

test('work that failed is done again for the next who asks', async () => {
  let count = 0;
  const task = new SharedTask(async () => {
    count += 1;
    if (count === 1) throw new Error('first');
    return count;
  });
  await expect(task.result(undefined)).rejects.toThrow('first');
  await expect(task.result(undefined)).resolves.toBe(2);
});

test('one who aborts leaves the work to those who still wait', async () => {
  const work = createDeferred<string>();
  const task = new SharedTask(() => work.promise);
  const caller = new AbortController();
  const aborted = task.result(caller.signal);
  const waiting = task.result(undefined);
  caller.abort();
  await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
  work.resolve('done');
  await expect(waiting).resolves.toBe('done');
});

test('work that nobody waits for any more is cut off, and begun anew for the next', async () => {
  const signals: AbortSignal[] = [];
  const task = new SharedTask<string>((signal) => {
    signals.push(signal);
    return signals.length === 1 ? createDeferred<string>().promise : Promise.resolve('done');
  });
  const caller = new AbortController();
  const aborted = task.result(caller.signal);
  caller.abort();
  await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
  expect(signals[0]?.aborted).toBe(true);
  await expect(task.result(undefined)).resolves.toBe('done');
});

test('work is not begun for a caller who aborted before', async () => {
  let begun = false;
  const task = new SharedTask(async () => {
    begun = true;
  });
  await expect(task.result(AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
  expect(begun).toBe(false);
});

test('several who find the same result outdated start the work once', async () => {
  let count = 0;
  const task = new SharedTask(async () => ({ attempt: (count += 1) }));
  const outdated = await task.result(undefined);
  task.forgetResult(outdated);
  const next = task.result(undefined);
  task.forgetResult(outdated);
  expect(await Promise.all([next, task.result(undefined)])).toEqual([
    { attempt: 2 },
    { attempt: 2 },
  ]);
});

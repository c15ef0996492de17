import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';

interface StopTimer {
  start(graceMs: number, limitMs: number): void;
  readonly isStarted: boolean;
  stop(): void;
}

const { StopTimer } = (await import(
  String(new URL('../../../runner/embedded/stop-timer.mjs', import.meta.url))
)) as {
  readonly StopTimer: new (
    areFilesAtWork: () => boolean,
    onOver: (isAtWork: boolean) => void,
  ) => StopTimer;
};

const TIME_MS = 300;

/** The thread does nothing, as if the process got no processor. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it.each([
  ['computes', false],
  ['works on files', true],
])('a stall does not use up the time in which a guest must stop that %s', async (_, isAtWork) => {
  const over = createDeferred<boolean>();
  let isOver = false;
  const timer = new StopTimer(
    () => isAtWork,
    (wasAtWork) => {
      isOver = true;
      over.resolve(wasAtWork);
    },
  );
  timer.start(TIME_MS, TIME_MS);
  stall(TIME_MS + 100);
  // What arrived meanwhile is read once the timers that are due have run.
  await nextTurn();
  await nextTurn();
  expect(isOver).toBe(false);
  // A guest that does not stop is ended nevertheless.
  expect(await over.promise).toBe(isAtWork);
});

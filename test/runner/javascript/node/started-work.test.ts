import { readFile } from 'node:fs';
import { afterAll, expect, it } from 'vitest';

interface StartedWork {
  readonly beginNumbering: () => void;
  readonly noteSeen: (count?: number) => void;
  readonly countNumbers: (start: () => void) => number;
  readonly watchNumbers: (run: () => void) => void;
  readonly isAllSeen: () => boolean;
}

const file = new URL('../../../../runner/javascript/node/started-work.mjs', import.meta.url).href;
const work = (await import(file)) as StartedWork;
const timers: NodeJS.Timeout[] = [];
afterAll(() => timers.forEach((timer) => clearTimeout(timer)));

/** Starts something in a program, and tells whether all that has been started was seen. */
function isAllSeenAfter(run: () => void): boolean {
  work.watchNumbers(run);
  return work.isAllSeen();
}

it('knows that nothing was started but what was seen, until something else is', () => {
  const ofMicrotask = work.countNumbers(() => queueMicrotask(() => {}));
  work.beginNumbering();
  expect(isAllSeenAfter(() => {})).toBe(true);
  const seen = (): void => {
    process.nextTick(() => {});
    work.noteSeen();
    queueMicrotask(() => {});
    work.noteSeen(ofMicrotask);
    timers.push(setTimeout(() => {}, 1e6));
    work.noteSeen();
  };
  expect(isAllSeenAfter(seen)).toBe(true);
  expect(isAllSeenAfter(() => readFile('/dev/null', () => {}))).toBe(false);
  expect(isAllSeenAfter(() => {})).toBe(false);
});

it('does not know it while code runs, or after code that failed', () => {
  work.beginNumbering();
  let isKnown = true;
  work.watchNumbers(() => (isKnown = work.isAllSeen()));
  expect(isKnown).toBe(false);
  const fail = (): never => {
    throw new Error('failed');
  };
  expect(() => isAllSeenAfter(fail)).toThrow('failed');
  expect(work.isAllSeen()).toBe(false);
});

/**
 * Finds out, without Node's event loop, that a program has nothing left to do. Before Node itself says
 * so, it waits until V8 has optimised what it had begun to optimise, which often takes longer than the
 * program.
 *
 * Node numbers everything that it may have to wait for, each with the next number. The guest sees
 * when a program starts ticks and timers. If there are no other numbers, there is nothing else. After
 * any other one, this never finds anything again, because what has a number can be started again
 * without a new one.
 */

import asyncHooks from 'node:async_hooks';

const { AsyncResource } = asyncHooks;
const { apply, get } = Reflect;
const asyncId = get(AsyncResource.prototype, 'asyncId');
const NOT_TRACKED = { __proto__: null, requireManualDestroy: true };
/** What V8 starts, which has no number. */
const OF_V8 = {
  WebAssembly: ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming'],
  Atomics: ['waitAsync'],
};

let expected = 0;
let isKnown = false;

/** Comes before the first program, while Node has nothing to do. */
export function beginNumbering() {
  for (const [owner, names] of Object.entries(OF_V8)) {
    for (const name of names) noteCalls(globalThis[owner], name);
  }
  // In a Node in which a timer has no number of its own, one that is seen could hide something else.
  const isNumbered =
    countNumbers(() => clearTimeout(setTimeout(() => {}))) === 1 &&
    countNumbers(() => clearImmediate(setImmediate(() => {}))) === 1;
  expected = isNumbered ? nextNumber() : Number.NaN;
}

/** The guest has started a tick or a timer, which has as many numbers. */
export function noteSeen(count = 1) {
  expected += count;
}

/** How many numbers Node gives to what a function starts, which differs from version to version. */
export function countNumbers(start) {
  const before = nextNumber();
  start();
  return nextNumber() - before - 1;
}

/** Runs code of a program. Afterwards, `isAllSeen` holds for what has been started until then. */
export function watchNumbers(run) {
  isKnown = false;
  run();
  expected += 1;
  isKnown = nextNumber() === expected;
}

/** Whether everything that was started is known to the guest. */
export function isAllSeen() {
  return isKnown;
}

function nextNumber() {
  return apply(asyncId, new AsyncResource('sandboxed-ptc', NOT_TRACKED), []);
}

function noteCalls(owner, name) {
  const original = owner[name];
  // Missing in an older V8.
  if (original === undefined) return;
  const { [name]: replacement } = {
    [name](...values) {
      // No number is expected any more.
      expected = Number.NaN;
      return apply(original, this, values);
    },
  };
  Object.defineProperty(replacement, 'length', { value: original.length });
  Object.defineProperty(owner, name, { value: replacement });
}

/**
 * The other ways to Node's timers than the global functions. An interrupt of the program must not
 * cut them off either.
 */

import module from 'node:module';
import timers from 'node:timers';
import { runUninterrupted } from './enter-program.mjs';
import { replaceTimerPromises } from './timer-promises.mjs';

const { apply, get, getPrototypeOf, ownKeys } = Reflect;
const METHODS = new Set(['refresh', 'ref', 'unref', 'close', Symbol.dispose]);

/** Comes after the global functions are replaced. */
export function protectTimers() {
  for (const kind of ['Timeout', 'Interval', 'Immediate']) {
    for (const name of [`set${kind}`, `clear${kind}`]) timers[name] = globalThis[name];
  }
  replaceTimerPromises();
  module.syncBuiltinESMExports();
  for (const [set, clear] of [
    [setTimeout, clearTimeout],
    [setImmediate, clearImmediate],
  ]) {
    const sample = set(() => {});
    const prototype = getPrototypeOf(sample);
    for (const name of ownKeys(prototype)) if (METHODS.has(name)) protect(prototype, name);
    clear(sample);
  }
}

function protect(owner, name) {
  const original = get(owner, name);
  const { [name]: replacement } = {
    [name](...values) {
      return runUninterrupted(() => apply(original, this, values));
    },
  };
  owner[name] = replacement;
}

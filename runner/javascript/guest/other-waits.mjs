/**
 * What continues a program after a time, besides the global functions for timers: the signals of
 * `AbortSignal.timeout`, and waits for shared memory. They end with their program too.
 */

import { whenSettled } from './settled.mjs';

const { apply, defineProperty, get, getOwnPropertyDescriptor } = Reflect;
const { isInteger } = Number;
const OwnPromise = Promise;
/** Every runtime accepts the whole numbers up to this one. */
const LONGEST_MS = 2 ** 32 - 1;

/**
 * Replaces the functions. Comes after the global functions for timers are replaced.
 * @param {import('./guest.mjs').Guest} guest
 */
export function trackOtherWaits(guest) {
  trackSignals();
  trackMemory(guest);
}

/** The timer that the runtime itself makes for such a signal cannot be ended. */
function trackSignals() {
  const { AbortController, AbortSignal, DOMException, setTimeout, clearTimeout } = globalThis;
  const abort = get(AbortController.prototype, 'abort');
  const { get: getSignal } = getOwnPropertyDescriptor(AbortController.prototype, 'signal');
  const sample = setTimeout(() => {});
  const unref = get(sample, 'unref');
  clearTimeout(sample);
  replace(AbortSignal, 'timeout', (original) => ({
    timeout(...given) {
      const delay = given[0];
      // The runtime throws its own error, or converts the value.
      if (!isInteger(delay) || delay < 0 || delay > LONGEST_MS) apply(original, this, given);
      const controller = new AbortController();
      const timer = setTimeout(() => {
        const text = 'The operation was aborted due to timeout';
        apply(abort, controller, [new DOMException(text, 'TimeoutError')]);
      }, delay);
      // The runtime does not wait for such a signal.
      apply(unref, timer, []);
      return apply(getSignal, controller, []);
    },
  }));
}

function trackMemory(guest) {
  replace(Atomics, 'waitAsync', (original) => ({
    waitAsync(...given) {
      const result = apply(original, this, given);
      const { run } = guest;
      if (!result.async) return result;
      const { value: woken } = result;
      result.value = new OwnPromise((resolve) => {
        const resume = (how) => {
          if (run !== undefined && run === guest.run) resolve(how);
        };
        whenSettled(woken, resume);
      });
      return result;
    },
  }));
}

/** Keeps the name, the number of parameters and the kind of the property. */
function replace(owner, name, make) {
  const { value: original, ...kind } = getOwnPropertyDescriptor(owner, name) ?? {};
  // Not every runtime has each function.
  if (original === undefined) return;
  const { [name]: replacement } = make(original);
  defineProperty(replacement, 'length', { value: original.length });
  defineProperty(owner, name, { ...kind, value: replacement });
}

/**
 * The functions of `timers/promises`, made of the functions for timers that are tracked. So code
 * that waits for such a promise can be interrupted, and what is left of it ends with its program.
 */

import timerPromises from 'node:timers/promises';

const { apply, get, getPrototypeOf } = Reflect;
const { isArray } = Array;

/** Replaces the functions. Comes after the global functions are replaced. */
export function replaceTimerPromises() {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } =
    globalThis;
  const original = { ...timerPromises };
  const { scheduler } = original;
  const [wait, pause] = ['wait', 'yield'].map((name) => get(scheduler, name));

  Object.assign(timerPromises, {
    setTimeout(delay, value, options = {}) {
      const refuse = () => original.setTimeout(delay, value, options);
      if (isRefused(delay, options)) return refuse();
      return once(options, refuse, (done) => setTimeout(done, delay, value), clearTimeout);
    },

    setImmediate(value, options = {}) {
      const refuse = () => original.setImmediate(value, options);
      if (isRefused(undefined, options)) return refuse();
      return once(options, refuse, (done) => setImmediate(done, value), clearImmediate);
    },

    async *setInterval(delay, value, options = {}) {
      const refuse = () => original.setInterval(delay, value, options);
      if (isRefused(delay, options)) {
        yield* refuse();
        return;
      }
      const { signal, ref } = options;
      let due = 0;
      let wake = () => {};
      const interval = setInterval(() => {
        due += 1;
        wake();
      }, delay);
      if (ref === false) interval.unref();
      const isAborted = () => signal?.aborted === true;
      const stop = () => {
        clearInterval(interval);
        wake();
      };
      signal?.addEventListener('abort', stop, { once: true });
      try {
        while (!isAborted()) {
          if (due === 0) await new Promise((resolve) => (wake = resolve));
          for (; due > 0; due -= 1) yield value;
        }
        yield* refuse();
      } finally {
        clearInterval(interval);
        signal?.removeEventListener('abort', stop);
      }
    },
  });

  Object.assign(getPrototypeOf(scheduler), {
    wait(delay, options) {
      if (this !== scheduler) return apply(wait, this, [delay, options]);
      return timerPromises.setTimeout(delay, undefined, options);
    },
    yield() {
      return this === scheduler ? timerPromises.setImmediate() : apply(pause, this, []);
    },
  });
}

/** Whether Node refuses this with an error, and makes no timer. */
function isRefused(delay, options) {
  if (delay !== undefined && typeof delay !== 'number') return true;
  if (typeof options !== 'object' || options === null || isArray(options)) return true;
  const { signal, ref } = options;
  if (ref !== undefined && typeof ref !== 'boolean') return true;
  if (signal === undefined) return false;
  return signal === null || typeof signal !== 'object' || signal.aborted !== false;
}

/** Returns a promise for the value of a timer. `refuse` returns that of a wait that was aborted. */
function once({ signal, ref }, refuse, set, clear) {
  return new Promise((resolve) => {
    const timer = set((value) => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    });
    const stop = () => {
      clear(timer);
      resolve(refuse());
    };
    if (ref === false) timer.unref();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Waits for promises that only the runner has. */

const { apply, defineProperty, get } = Reflect;
const then = get(Promise.prototype, 'then');

/**
 * Calls back after a promise is settled, whatever programs have changed in the prototype of
 * promises.
 */
export function whenSettled(promise, onValue, onError) {
  // Without this, `then` looks up a constructor in the prototype.
  defineProperty(promise, 'constructor', { __proto__: null, value: undefined });
  apply(then, promise, [onValue, onError]);
}

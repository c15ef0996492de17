/** What comes of a promise that only the runner has. */

const { apply, defineProperty, get } = Reflect;
const then = get(Promise.prototype, 'then');

/** Calls back once a promise is settled, whatever programs have done to what all promises have. */
export function whenSettled(promise, onValue, onError) {
  // Without it, `then` looks for a constructor in the prototype.
  defineProperty(promise, 'constructor', { __proto__: null, value: undefined });
  apply(then, promise, [onValue, onError]);
}

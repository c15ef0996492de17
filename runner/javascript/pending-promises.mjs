/** Promises that are not settled yet, of which nobody but who made them says how they come out. */

import { inspect, types } from 'node:util';

const { isPromise } = types;
const NO_MORE = { customInspect: false, depth: 0, maxArrayLength: 0, maxStringLength: 0 };
const { apply } = Reflect;
const includes = Reflect.get(String.prototype, 'includes');

/** Promises, until they are settled. To be looked at handles no rejection: `then` would. */
export class PendingPromises {
  #promises = [];

  /** Takes up those values that are promises. */
  add(values) {
    for (let index = 0; index < values.length; index += 1) {
      if (isPromise(values[index])) this.#promises[this.#promises.length] = values[index];
    }
  }

  /** Whether one of them is still pending. */
  get isAny() {
    const promises = this.#promises;
    while (promises.length > 0 && !isPending(promises[promises.length - 1])) promises.length -= 1;
    return promises.length > 0;
  }
}

/** Node tells it nowhere else. */
function isPending(promise) {
  return apply(includes, inspect(promise, NO_MORE), ['<pending>']);
}

/** The value of a statement that is a promise. An async function that returned the promise itself would await it. */
export class PromiseValue {
  #promise;

  constructor(promise) {
    this.#promise = promise;
  }

  /** A value as it can be returned. */
  static hold(value) {
    return isPromise(value) ? new PromiseValue(value) : value;
  }

  static isOne(value) {
    return typeof value === 'object' && value !== null && #promise in value;
  }

  get promise() {
    return this.#promise;
  }
}

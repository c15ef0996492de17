/** Promises that are not settled yet, whose rejections only the program may handle. */

import util from 'node:util';

const { inspect } = util;
const { isPromise: isPromiseObject } = util.types;
const FEW = 50;
const NO_MORE = { customInspect: false, depth: 0, maxArrayLength: 0, maxStringLength: 0 };
const { apply } = Reflect;
const includes = Reflect.get(String.prototype, 'includes');

/** Promises until they are settled. Inspecting them handles no rejection, as `then` would. */
export class PendingPromises {
  #promises = [];
  // At how many of them those that are settled are dropped. A program can start more than its memory holds.
  #most = FEW;

  /** Adds those of the values that are promises. */
  add(values) {
    for (let index = 0; index < values.length; index += 1) {
      if (isPromise(values[index])) this.#promises[this.#promises.length] = values[index];
    }
    if (this.#promises.length >= this.#most) this.#dropSettled();
  }

  #dropSettled() {
    const all = this.#promises;
    const pending = [];
    for (let index = 0; index < all.length; index += 1) {
      if (isPending(all[index])) pending[pending.length] = all[index];
    }
    this.#promises = pending;
    // Inspecting them takes long, so not again until there are twice as many.
    this.#most = pending.length * 2 + FEW;
  }

  /** Whether one of them is still pending. */
  get isAny() {
    const promises = this.#promises;
    while (promises.length > 0 && !isPending(promises[promises.length - 1])) promises.length -= 1;
    return promises.length > 0;
  }
}

/** Most values are not objects, and asking Node about each takes long. */
function isPromise(value) {
  return typeof value === 'object' && value !== null && isPromiseObject(value);
}

/** Node reports the state of a promise only in this text. */
function isPending(promise) {
  return apply(includes, inspect(promise, NO_MORE), ['<pending>']);
}

/** A value that is a promise. An async function that returned the promise itself would await it. */
export class PromiseValue {
  #promise;

  constructor(promise) {
    this.#promise = promise;
  }

  /** Returns a value in a form in which it can be returned. */
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

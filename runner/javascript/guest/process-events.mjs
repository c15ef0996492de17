/**
 * The events of `process` for programs: the end and the uncaught errors of the program, not of the
 * process.
 */

const { apply } = Reflect;
const { freeze, setPrototypeOf } = Object;
const UNCAUGHT = 'uncaughtException';
export const UNHANDLED = 'unhandledRejection';
const IDLE = 'beforeExit';
const EXIT = 'exit';
const NONE = freeze([]);

export class ProcessEvents {
  #process;
  #rawListeners;
  #removeListener;
  #isOfRunner;

  /**
   * @param {import('node:events').EventEmitter} emitter - The program's `process`.
   * @param {(listener: Function) => boolean} [isOfRunner]
   */
  constructor(emitter, isOfRunner = () => false) {
    this.#process = emitter;
    this.#rawListeners = emitter.rawListeners.bind(emitter);
    this.#removeListener = emitter.removeListener.bind(emitter);
    this.#isOfRunner = isOfRunner;
  }

  /**
   * Passes an error to the program's listeners for uncaught errors. False if there are none. If it rejected a promise without a
   * handler, listeners for rejections come first.
   */
  offer(error, origin = UNCAUGHT, promise) {
    const isTaken = promise !== undefined && this.#call(UNHANDLED, [error, promise]);
    return isTaken || this.#call(UNCAUGHT, [error, origin]);
  }

  /** Whether the program listens for its end. */
  isListening() {
    try {
      return this.hasListeners(IDLE) || this.hasListeners(EXIT);
    } catch {
      // The program has patched methods that this needs.
      return true;
    }
  }

  /** Calls the program's listeners for `beforeExit`. False if there are none. */
  tellIdle(code) {
    return this.#call(IDLE, [code]);
  }

  /** Calls the program's listeners for its end, each as often as it was added. */
  tellExit(code) {
    const listeners = this.#listeners(EXIT);
    this.#remove(EXIT, listeners);
    for (let index = 0; index < listeners.length; index += 1) {
      apply(listeners[index], this.#process, [code]);
    }
  }

  /** Removes all listeners of the program. */
  endListening() {
    this.#remove(UNCAUGHT, this.#listeners(UNCAUGHT));
    this.#remove(UNHANDLED, this.#listeners(UNHANDLED));
    this.#remove(IDLE, this.#listeners(IDLE));
    this.#remove(EXIT, this.#listeners(EXIT));
  }

  /** Whether the program listens for an event. */
  hasListeners(name) {
    return this.#listeners(name).length > 0;
  }

  #call(name, values) {
    const listeners = this.#listeners(name);
    for (let index = 0; index < listeners.length; index += 1) {
      apply(listeners[index], this.#process, values);
    }
    return listeners.length > 0;
  }

  /** The listeners of the program. */
  #listeners(name) {
    const all = this.#rawListeners(name);
    let found = NONE;
    for (let index = 0; index < all.length; index += 1) {
      if (this.#isOfRunner(all[index])) continue;
      // A program may have put setters for indices into the prototype.
      if (found === NONE) found = setPrototypeOf([], null);
      found[found.length] = all[index];
    }
    return found;
  }

  #remove(name, listeners) {
    for (let index = 0; index < listeners.length; index += 1) {
      this.#removeListener(name, listeners[index]);
    }
  }
}

/** What a program listens for at its process: it is its run that ends, and whose errors nobody caught. */

const { apply, setPrototypeOf } = Reflect;
const UNCAUGHT = 'uncaughtException';
const UNHANDLED = 'unhandledRejection';
const IDLE = 'beforeExit';
const EXIT = 'exit';

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

  /** Gives an error to what the program has listen for those that nobody catches. False where there is nothing. */
  offer(error, origin = UNCAUGHT) {
    return this.#call(UNCAUGHT, [error, origin]);
  }

  /** The same of the reason of a rejection that nobody handles. Those who listen for all errors are asked last. */
  offerRejection(reason, promise) {
    return this.#call(UNHANDLED, [reason, promise]) || this.offer(reason, UNHANDLED);
  }

  /** Whether the program listens for its end. */
  isListening() {
    try {
      return this.hasListeners(IDLE) || this.hasListeners(EXIT);
    } catch {
      // Of a program that has patched what is asked for it.
      return true;
    }
  }

  /** Calls what the program wants called when nothing is left to do. False if there is nothing. */
  tellIdle(code) {
    return this.#call(IDLE, [code]);
  }

  /** Calls what the program wants called as it ends, as often as it was added. */
  tellExit(code) {
    const listeners = this.#listeners(EXIT);
    this.#remove(EXIT, listeners);
    for (let index = 0; index < listeners.length; index += 1) {
      apply(listeners[index], this.#process, [code]);
    }
  }

  /** Ends all listening of the program. */
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

  /** Those of the program. */
  #listeners(name) {
    const all = this.#rawListeners(name);
    const found = [];
    // A program may have put setters for indices into the prototype.
    setPrototypeOf(found, null);
    for (let index = 0; index < all.length; index += 1) {
      if (!this.#isOfRunner(all[index])) found[found.length] = all[index];
    }
    return found;
  }

  #remove(name, listeners) {
    for (let index = 0; index < listeners.length; index += 1) {
      this.#removeListener(name, listeners[index]);
    }
  }
}

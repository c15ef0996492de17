/** What a program listens for at its process: it is its run that ends, and whose errors nobody caught. */

import { isInside } from './gate.mjs';

const { apply } = Reflect;
const UNCAUGHT = 'uncaughtException';
const UNHANDLED = 'unhandledRejection';
const IDLE = 'beforeExit';
const [on, rawListeners, removeListener] = ['on', 'rawListeners', 'removeListener'].map((name) =>
  Reflect.get(process, name),
);
const own = new Set();

/**
 * Has an error or a rejection that nobody handles end the run, and not the process.
 * @param {import('../guest.mjs').Guest} guest
 */
export function catchAll(guest) {
  listen(UNCAUGHT, (error) => {
    if (listenersOf(UNCAUGHT).length === 0) guest.fail(error);
  });
  listen(UNHANDLED, (reason) => {
    // Node itself has called the listeners that there are.
    if (listenersOf(UNHANDLED).length === 0 && !offer(reason, UNHANDLED)) guest.reject(reason);
  });
}

/** Calls back when nothing is left that keeps the process, which ends if that is still so afterwards. */
export function onIdle(callback) {
  const emit = Reflect.get(process, 'emit');
  process.emit = function (name, ...values) {
    // What a program emits itself is for its own listeners.
    if (name !== IDLE || isInside()) return apply(emit, this, [name, ...values]);
    callback();
    return true;
  };
}

/** Calls what the program wants called when nothing is left to do. False if there is nothing. */
export function tellIdle() {
  const listeners = listenersOf(IDLE);
  for (let index = 0; index < listeners.length; index += 1) {
    apply(listeners[index], process, [process.exitCode ?? 0]);
  }
  return listeners.length > 0;
}

/** Gives an error to what the program has listen for those that nobody catches. False where there is nothing. */
export function offer(error, origin = UNCAUGHT) {
  const listeners = listenersOf(UNCAUGHT);
  for (let index = 0; index < listeners.length; index += 1) {
    apply(listeners[index], process, [error, origin]);
  }
  return listeners.length > 0;
}

/** Calls what the program wants called as it ends, as often as it was added. */
export function tellExit(code) {
  const listeners = listenersOf('exit');
  remove('exit', listeners);
  for (let index = 0; index < listeners.length; index += 1) {
    apply(listeners[index], process, [code]);
  }
}

/** Ends all listening of the program. */
export function endListening() {
  remove(UNCAUGHT, listenersOf(UNCAUGHT));
  remove(UNHANDLED, listenersOf(UNHANDLED));
  remove(IDLE, listenersOf(IDLE));
  remove('exit', listenersOf('exit'));
}

function listen(name, listener) {
  own.add(listener);
  apply(on, process, [name, listener]);
}

/** Those of the program. */
function listenersOf(name) {
  const all = apply(rawListeners, process, [name]);
  const found = [];
  for (let index = 0; index < all.length; index += 1) {
    if (!own.has(all[index])) found[found.length] = all[index];
  }
  return found;
}

function remove(name, listeners) {
  for (let index = 0; index < listeners.length; index += 1) {
    apply(removeListener, process, [name, listeners[index]]);
  }
}

/** What a program listens for at its process: it is its run that ends, and whose errors nobody caught. */

const { apply } = Reflect;
const UNCAUGHT = 'uncaughtException';
const UNHANDLED = 'unhandledRejection';
const [on, rawListeners, removeListener] = ['on', 'rawListeners', 'removeListener'].map((name) =>
  Reflect.get(process, name),
);
const own = new Set();

/** Has an error or a rejection that nobody handles end the run, and not the process. */
export function catchAll(fail) {
  listen(UNCAUGHT, (error) => {
    if (listenersOf(UNCAUGHT).length === 0) fail(error);
  });
  listen(UNHANDLED, (reason) => {
    // Node itself has called the listeners that there are.
    if (listenersOf(UNHANDLED).length === 0 && !offer(reason, UNHANDLED)) fail(reason);
  });
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

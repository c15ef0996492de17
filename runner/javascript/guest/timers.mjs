/**
 * The timers of a program. Their callbacks run like its own code, and the timers that are left end
 * with the program.
 */

const captureStackTrace = Reflect.get(Error, 'captureStackTrace');
const { apply, get, set: assign } = Reflect;
const forEach = Reflect.get(Map.prototype, 'forEach');
const [hasIn, setIn] = ['has', 'set'].map((name) => get(Map.prototype, name));
const [getOf, setOf, removeFrom] = ['get', 'set', 'delete'].map((name) =>
  get(WeakMap.prototype, name),
);
const exec = Reflect.get(RegExp.prototype, 'exec');
const NODE_FRAME = /^\s*at .*\bnode:(internal\/|_|child_process|net:)/m;

/**
 * Replaces the global functions for timers.
 * @param {import('./guest.mjs').Guest} guest
 * @param {(callback: () => unknown) => unknown} uninterrupted - Runs code that an interrupt of the
 * program must not cut off. A timer that is half made or half ended would break those of later
 * programs: they would never be called, or keep the program alive for ever.
 * @param {() => void} onSet - Called after each timer that a program sets.
 * @returns {{ readonly areLeft: boolean, readonly areImmediatesLeft: boolean, release: (list: string[]) => void }} Whether there are
 * timers that keep the program alive; whether one of them is due at once; and a function that ends the timers that are left, and adds
 * their numbers to a list of texts.
 */
export function trackTimers(guest, uninterrupted = (callback) => callback(), onSet = () => {}) {
  let left = new Map();
  // The runs of the timers that can be refreshed, also when they have fired.
  const runs = new WeakMap();
  // Programs can ask for the number of a timer, and end it by that. Only of these are the numbers known.
  const numbers = new WeakMap();
  let numbered = new Map();
  const drop = (handle) => {
    left.delete(handle);
    if (numbered.size > 0) numbered.delete(apply(getOf, numbers, [handle]));
  };
  const forget = (handle) => {
    drop(handle);
    apply(removeFrom, runs, [handle]);
  };
  // Runtimes ask for the numbers of the runner's own timers too, when a program may have changed Map.
  const noteNumber = (handle) => {
    const number = apply(getOf, numbers, [handle]);
    if (number !== undefined && apply(hasIn, left, [handle]))
      apply(setIn, numbered, [number, handle]);
  };
  const tracked = [
    ['setTimeout', 'clearTimeout', 'timer'],
    ['setInterval', 'clearInterval', 'interval'],
    ['setImmediate', 'clearImmediate', 'immediate'],
  ];
  const clears = { __proto__: null };
  const keeps = { __proto__: null };
  for (const [set, clear, kind] of tracked) {
    const [originalSet, originalClear] = [globalThis[set], globalThis[clear]];
    if (originalSet === undefined) continue;
    clears[kind] = originalClear;
    keeps[kind] = findKeeps(originalSet, originalClear);
    const isRepeated = kind === 'interval';
    const tracking = function (...given) {
      const callback = given[0];
      // Here rather than amid the timer, because it can call code of the program.
      if (kind !== 'immediate' && given.length > 1) given[1] *= 1;
      if (typeof callback !== 'function' || isCalledByNode(tracking)) {
        return uninterrupted(() => apply(originalSet, undefined, given));
      }
      const { run } = guest;
      return uninterrupted(() => {
        given[0] = function (...values) {
          if (!isRepeated) drop(handle);
          guest.callback(() => apply(callback, this, values), run);
        };
        const handle = apply(originalSet, undefined, given);
        onSet();
        // A program that has ended has no timers.
        if (run === undefined) apply(clears[kind], globalThis, [handle]);
        else {
          left.set(handle, kind);
          if (kind === 'timer') apply(setOf, runs, [handle, run]);
        }
        return handle;
      });
    };
    replace(set, tracking);
    replace(clear, (handle) =>
      uninterrupted(() => {
        const isNumber = typeof handle === 'number' || typeof handle === 'string';
        forget(isNumber ? numbered.get(Number(handle)) : handle);
        originalClear(handle);
      }),
    );
  }
  const timers = prototypeOfTimers();
  for (const name of ['close', Symbol.dispose]) extend(timers, name, forget);
  // Node calls it again after a timer has fired. A timer of a program that has ended stays ended.
  extend(timers, 'refresh', (handle) => {
    const run = apply(getOf, runs, [handle]);
    if (run !== undefined && run === guest.run) {
      left.set(handle, 'timer');
      noteNumber(handle);
    }
    return run === undefined || run === guest.run;
  });
  const { [Symbol.toPrimitive]: numberOf } = timers;
  timers[Symbol.toPrimitive] = function () {
    const number = apply(numberOf, this, []);
    apply(setOf, numbers, [this, number]);
    noteNumber(this);
    return number;
  };
  return {
    get areLeft() {
      let areLeft = false;
      apply(forEach, left, [(kind, handle) => (areLeft ||= keeps[kind](handle))]);
      return areLeft;
    },
    get areImmediatesLeft() {
      let areLeft = false;
      apply(forEach, left, [(kind) => (areLeft ||= kind === 'immediate')]);
      return areLeft;
    },
    release: (list) =>
      uninterrupted(() => {
        const counts = { __proto__: null };
        const ended = left;
        left = new Map();
        numbered = new Map();
        apply(forEach, ended, [
          (kind, handle) => {
            if (keeps[kind](handle)) counts[kind] = (counts[kind] ?? 0) + 1;
            apply(clears[kind], globalThis, [handle]);
          },
        ]);
        addTo(list, counts);
      }),
  };
}

/**
 * Returns a function that tells whether a timer would keep the process alive. Programs cannot
 * replace it.
 */
function findKeeps(set, clear) {
  const sample = set(() => {});
  const { hasRef } = sample;
  clear(sample);
  return hasRef === undefined ? () => true : (handle) => apply(hasRef, handle, []) !== false;
}

/** The prototype of timers and intervals, which other functions of Node that make timers use too. */
function prototypeOfTimers() {
  const sample = setTimeout(() => {});
  clearTimeout(sample);
  return Object.getPrototypeOf(sample);
}

/** Calls a function before a method, which is not called if that returns false. */
function extend(prototype, name, before) {
  const original = prototype[name];
  // Not every runtime has each method.
  if (original === undefined) return;
  const { [name]: replacement } = {
    [name]() {
      return before(this) === false ? this : apply(original, this, []);
    },
  };
  prototype[name] = replacement;
}

function addTo(list, counts) {
  for (const kind in counts) {
    const article = kind === 'timer' ? 'a' : 'an';
    const count = counts[kind];
    list[list.length] = count === 1 ? `${article} ${kind}` : `${count} ${kind}s`;
  }
}

/**
 * Whether Node's own code called `callee`: the timers of `fetch` are for all programs that use it.
 */
function isCalledByNode(callee) {
  const stackTraceLimit = get(Error, 'stackTraceLimit');
  const prepareStackTrace = get(Error, 'prepareStackTrace');
  const holder = {};
  try {
    assign(Error, 'stackTraceLimit', 1);
    assign(Error, 'prepareStackTrace', undefined);
    captureStackTrace(holder, callee);
    return apply(exec, NODE_FRAME, [holder.stack]) !== null;
  } catch {
    return false;
  } finally {
    // A program may have made them constant.
    assign(Error, 'stackTraceLimit', stackTraceLimit);
    assign(Error, 'prepareStackTrace', prepareStackTrace);
  }
}

/** Keeps the other properties of the original, such as its form that returns a promise. */
function replace(name, replacement) {
  const original = globalThis[name];
  const descriptors = Object.getOwnPropertyDescriptors(original);
  Object.defineProperties(replacement, {
    ...descriptors,
    name: { ...descriptors.name, value: name },
  });
  globalThis[name] = replacement;
}

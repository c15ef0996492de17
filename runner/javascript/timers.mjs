/** A program's timers: their callbacks run as its own code does, and those that are left end with its run. */

const captureStackTrace = Reflect.get(Error, 'captureStackTrace');
const { apply } = Reflect;
const forEach = Reflect.get(Map.prototype, 'forEach');
const NODE_FRAME = /^\s*at .*\bnode:internal\//m;

/**
 * Puts timers of the runner's own in place of the global ones.
 * @param {import('./guest.mjs').Guest} guest
 * @returns {{ readonly areLeft: boolean, release: () => string[] }} Whether there are timers that are waited for; and
 *   what ends those that are left, and says how many there were.
 */
export function trackTimers(guest) {
  let left = new Map();
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
    const tracking = function (callback, ...others) {
      if (typeof callback !== 'function' || isCalledByNode(tracking)) {
        return originalSet(callback, ...others);
      }
      const { run } = guest;
      const handle = originalSet(
        function (...values) {
          if (!isRepeated) left.delete(handle);
          guest.callback(() => callback.apply(this, values), run);
        },
        ...others,
      );
      left.set(handle, kind);
      return handle;
    };
    replace(set, tracking);
    replace(clear, (handle) => {
      // A timer that Node knows by its number.
      for (const known of typeof handle === 'object' ? [handle] : left.keys()) {
        if (known === handle || Number(known) === Number(handle)) left.delete(known);
      }
      originalClear(handle);
    });
  }
  return {
    get areLeft() {
      let areLeft = false;
      apply(forEach, left, [(kind, handle) => (areLeft ||= keeps[kind](handle))]);
      return areLeft;
    },
    release: () => {
      const counts = { __proto__: null };
      const ended = left;
      left = new Map();
      apply(forEach, ended, [
        (kind, handle) => {
          if (keeps[kind](handle)) counts[kind] = (counts[kind] ?? 0) + 1;
          apply(clears[kind], globalThis, [handle]);
        },
      ]);
      return listOf(counts);
    },
  };
}

/** What says whether a timer would keep the process: nobody waits for another. Programs have no part in it. */
function findKeeps(set, clear) {
  const sample = set(() => {});
  const { hasRef } = sample;
  clear(sample);
  return hasRef === undefined ? () => true : (handle) => apply(hasRef, handle, []) !== false;
}

function listOf(counts) {
  const list = [];
  for (const kind in counts) {
    const article = kind === 'timer' ? 'a' : 'an';
    const count = counts[kind];
    list[list.length] = count === 1 ? `${article} ${kind}` : `${count} ${kind}s`;
  }
  return list;
}

/** Whether Node's own code called `callee`: what `fetch` sets is for all the programs that fetch. */
function isCalledByNode(callee) {
  const { stackTraceLimit } = Error;
  const prepareStackTrace = Reflect.get(Error, 'prepareStackTrace');
  const holder = {};
  try {
    Error.stackTraceLimit = 1;
    Error.prepareStackTrace = undefined;
    captureStackTrace(holder, callee);
    return NODE_FRAME.test(holder.stack);
  } catch {
    return false;
  } finally {
    restore(Error, { stackTraceLimit, prepareStackTrace });
  }
}

/** Sets what may have been made constant. */
function restore(owner, values) {
  for (const [name, value] of Object.entries(values)) Reflect.set(owner, name, value);
}

/** With what else is known of the original, such as how it becomes a promise. */
function replace(name, replacement) {
  const original = globalThis[name];
  const descriptors = Object.getOwnPropertyDescriptors(original);
  Object.defineProperties(replacement, {
    ...descriptors,
    name: { ...descriptors.name, value: name },
  });
  globalThis[name] = replacement;
}

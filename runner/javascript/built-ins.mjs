/**
 * The built-in objects of the language. Programs may change them, and such a change lasts as long as the session. But
 * the runner and its parser use the same objects, so the changes are undone while they read a program and tell its
 * end, and between runs.
 */

const { hasOwn, is } = Object;
const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
const { getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;

const prototypeOf = ({ prototype }) => prototype;
const iteratorOf = (iterable) => getPrototypeOf(iterable[Symbol.iterator]());
const generator = getPrototypeOf(function* () {}).prototype;

const BUILT_INS = [
  ...[Object, Array, String, Number, RegExp, Map, Promise, JSON],
  ...[Object, Function, Array, String, Number, RegExp, Map, Set, WeakMap, Promise].map(prototypeOf),
  ...[Error, RangeError, SyntaxError, TypeError].map(prototypeOf),
  ...[[], '', new Map(), new Set(), ''.matchAll(/a/g)].map(iteratorOf),
  ...[generator, getPrototypeOf(generator)],
];

/** What each of them has without a program. No list inherits anything: a prototype may have setters for its indices. */
const ORIGINALS = bare(
  BUILT_INS.map((owner) => ({
    owner,
    keys: bare(ownKeys(owner)),
    descriptors: ownKeys(owner).reduce((all, key) => {
      all[key] = propertyOf(owner, key);
      return all;
    }, bare({})),
  })),
);

/** The changes that are undone. */
const changes = bare([]);

/** Undoes what programs have changed, as far as that can be undone. */
export function restoreBuiltIns() {
  for (let index = 0; index < ORIGINALS.length; index += 1) restore(ORIGINALS[index]);
}

/** Makes the changes again, for a program that is about to run. */
export function returnChanges() {
  for (let index = 0; index < changes.length; index += 1) {
    const { owner, key, descriptor } = changes[index];
    if (descriptor === undefined) deleteProperty(owner, key);
    else defineProperty(owner, key, descriptor);
  }
  changes.length = 0;
}

function restore({ owner, keys, descriptors }) {
  let present = 0;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index];
    const descriptor = getOwnPropertyDescriptor(owner, key);
    if (descriptor !== undefined) present += 1;
    if (isSame(descriptor, descriptors[key])) continue;
    note(owner, key);
    defineProperty(owner, key, descriptors[key]);
  }
  const all = ownKeys(owner);
  if (all.length > present) removeAdded(owner, all, descriptors);
}

function removeAdded(owner, keys, descriptors) {
  for (let index = 0; index < keys.length; index += 1) {
    if (descriptors[keys[index]] !== undefined) continue;
    note(owner, keys[index]);
    deleteProperty(owner, keys[index]);
  }
}

function note(owner, key) {
  changes[changes.length] = { owner, key, descriptor: propertyOf(owner, key) };
}

/** Reads nothing that a descriptor inherits. */
function isSame(descriptor, original) {
  if (descriptor === undefined) return false;
  if (!hasOwn(original, 'value')) {
    return (
      hasOwn(descriptor, 'get') &&
      descriptor.get === original.get &&
      descriptor.set === original.set
    );
  }
  return (
    hasOwn(descriptor, 'value') &&
    is(descriptor.value, original.value) &&
    descriptor.writable === original.writable
  );
}

/** The descriptor of a property, fit for `defineProperty` whatever `Object.prototype` has by then. */
function propertyOf(owner, key) {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  return descriptor && bare(descriptor);
}

/** An object that inherits nothing. */
function bare(object) {
  setPrototypeOf(object, null);
  return object;
}

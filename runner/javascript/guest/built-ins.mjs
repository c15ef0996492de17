/**
 * The built-in objects of the language. Programs can change them, and the changes last as long as
 * the session. But the runner and its parser use the same objects, so the changes are undone while
 * they read a program and report its end, and between programs.
 */

import { bare, isSame, noteProperties, propertyOf } from './noted-properties.mjs';

const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
const { getPrototypeOf, ownKeys } = Reflect;

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

/** The original properties. */
const ORIGINALS = bare(BUILT_INS.map(noteProperties));

/** The changes that were undone. */
const changes = bare([]);

/**
 * Notes properties that built-in objects have got since this was loaded. V8 adds some of the newest
 * ones only when a process starts from a snapshot. Comes before the first program.
 */
export function noteLateProperties() {
  for (let index = 0; index < ORIGINALS.length; index += 1) {
    const { owner, keys, descriptors } = ORIGINALS[index];
    const all = ownKeys(owner);
    if (all.length === keys.length) continue;
    for (const key of all) {
      if (has(keys, key)) continue;
      keys[keys.length] = key;
      descriptors[descriptors.length] = propertyOf(owner, key);
    }
  }
}

/** Undoes the changes of programs, as far as that is possible. */
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
    const descriptor = getOwnPropertyDescriptor(owner, keys[index]);
    if (descriptor !== undefined) present += 1;
    if (isSame(descriptor, descriptors[index])) continue;
    note(owner, keys[index]);
    defineProperty(owner, keys[index], descriptors[index]);
  }
  const all = ownKeys(owner);
  if (all.length > present) removeAdded(owner, all, keys);
}

function removeAdded(owner, all, keys) {
  for (let index = 0; index < all.length; index += 1) {
    if (has(keys, all[index])) continue;
    note(owner, all[index]);
    deleteProperty(owner, all[index]);
  }
}

function has(keys, key) {
  for (let index = 0; index < keys.length; index += 1) {
    if (keys[index] === key) return true;
  }
  return false;
}

function note(owner, key) {
  changes[changes.length] = { owner, key, descriptor: propertyOf(owner, key) };
}

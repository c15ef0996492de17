/**
 * Global names that a program may assign, for example to declare its own class `Map`. The guest and
 * its parser then still use the originals: `scripts/build-guests.mjs` puts these in the place of
 * the global names. `Atomics` and `SharedArrayBuffer` are not among them, because V8 adds them only
 * when a process starts from a snapshot.
 */

export const {
  Array,
  ArrayBuffer,
  BigInt,
  Boolean,
  Buffer,
  DataView,
  Error,
  Int32Array,
  JSON,
  Map,
  Math,
  Number,
  Object,
  Promise,
  RangeError,
  Reflect,
  RegExp,
  Set,
  String,
  Symbol,
  SyntaxError,
  TextDecoder,
  TextEncoder,
  TypeError,
  Uint8Array,
  WeakMap,
  WeakSet,
  parseInt,
  process,
} = globalThis;

/**
 * The global scope of programs: globals of Node that need no permissions. Deno's permissions limit
 * what the rest could do to the machine. This removes what needs no permission, such as writing to
 * the real standard output, and starting other workers, which would have these globals again.
 */

const { defineProperty } = Reflect;

/** The globals of the language, and those that only compute. */
const KEPT = `
  Object Function Array Number Boolean String Symbol BigInt Date parseFloat parseInt isFinite isNaN
  Infinity NaN undefined globalThis Error AggregateError EvalError RangeError ReferenceError SyntaxError
  TypeError URIError SuppressedError DisposableStack AsyncDisposableStack JSON Math Intl RegExp Temporal
  Reflect ArrayBuffer SharedArrayBuffer Atomics DataView Int8Array Uint8Array Uint8ClampedArray
  Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array
  BigUint64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry Iterator Proxy Promise decodeURI
  decodeURIComponent encodeURI encodeURIComponent escape unescape eval
  AbortController AbortSignal Blob Buffer ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto
  CryptoKey CustomEvent DOMException DecompressionStream Event EventTarget File FormData Headers Performance
  PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver ReadableByteStreamController ReadableStream
  ReadableStreamBYOBReader ReadableStreamDefaultController ReadableStreamDefaultReader SubtleCrypto TextDecoder
  TextDecoderStream TextEncoder TextEncoderStream TransformStream URL URLPattern URLSearchParams WritableStream
  WritableStreamDefaultController WritableStreamDefaultWriter WebAssembly atob btoa crypto global performance
  clearImmediate clearInterval clearTimeout queueMicrotask setImmediate setInterval setTimeout
  structuredClone
`;

/** Removes all other globals. */
export function prepareGlobals() {
  const kept = new Set(KEPT.trim().split(/\s+/));
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!kept.has(name)) Reflect.deleteProperty(globalThis, name);
  }
}

/** Defines a global, if the program has not prevented that. */
export function defineGlobal(name, value) {
  const descriptor = { __proto__: null, value, writable: true, configurable: true };
  defineProperty(globalThis, name, descriptor);
}

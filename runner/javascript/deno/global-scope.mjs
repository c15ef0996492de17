/**
 * What a program finds in the global scope, made of Deno's: what Node has and a program needs no rights for.
 * Deno's permissions bound what the rest could do to the machine; this takes away what needs no
 * permission, such as writing the real standard output, and other workers, which would have it again.
 */

const { defineProperty } = Reflect;

/** The language, and what only computes. */
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

/** Removes all else. */
export function prepareGlobals() {
  const kept = new Set(KEPT.trim().split(/\s+/));
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!kept.has(name)) Reflect.deleteProperty(globalThis, name);
  }
}

/** Gives a name its value, if the program has left the name able to take one. */
export function defineGlobal(name, value) {
  const descriptor = { __proto__: null, value, writable: true, configurable: true };
  defineProperty(globalThis, name, descriptor);
}

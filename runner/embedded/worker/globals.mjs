/**
 * The globals of the interpreter's JavaScript. Deno's permissions limit what it can do to the
 * machine; this removes what needs no permission, such as writing to the real standard output.
 */

/** The globals of the language. */
const LANGUAGE = `
  Object Function Array Number Boolean String Symbol BigInt Date parseFloat parseInt
  isFinite isNaN Infinity NaN undefined globalThis Error AggregateError EvalError RangeError
  ReferenceError SyntaxError TypeError URIError SuppressedError JSON Math Intl RegExp
  Reflect ArrayBuffer SharedArrayBuffer Atomics DataView Int8Array Uint8Array
  Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array
  Float64Array BigInt64Array BigUint64Array Map Set WeakMap WeakSet WeakRef
  FinalizationRegistry Iterator Proxy Promise decodeURI decodeURIComponent encodeURI
  encodeURIComponent
`;

/**
 * The globals of the platform that Pyodide uses; by the last ones, it detects that it runs in a
 * worker.
 */
const PLATFORM = `
  WebAssembly TextDecoder TextEncoder URL performance crypto AbortController AbortSignal
  DOMException queueMicrotask setTimeout clearTimeout self location WorkerGlobalScope
`;

const KEPT = new Set(`${LANGUAGE} ${PLATFORM}`.split(/\s+/));

/**
 * Removes every global that is not in the list.
 * @param log - Gets what Pyodide would write to the console.
 */
export function removeGlobals(log) {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!KEPT.has(name)) Reflect.deleteProperty(globalThis, name);
  }
  const write = (...values) => log(values.map(String).join(' '));
  globalThis.console = { log: write, warn: write, error: write };
}

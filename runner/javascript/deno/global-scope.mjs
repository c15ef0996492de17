/**
 * What a program finds in the global scope, made of Deno's: what Node has and a program needs no rights for.
 * Deno's permissions bound what the rest could do to the machine; this takes away what needs no
 * permission, such as writing the real standard output, and other workers, which would have it again.
 */

import { Console } from 'node:console';

/** The language, and what only computes. */
const KEPT = `
  Object Function Array Number Boolean String Symbol BigInt Date parseFloat parseInt isFinite isNaN
  Infinity NaN undefined globalThis Error AggregateError EvalError RangeError ReferenceError SyntaxError
  TypeError URIError SuppressedError DisposableStack AsyncDisposableStack JSON Math Intl RegExp Temporal
  Reflect ArrayBuffer SharedArrayBuffer Atomics DataView Int8Array Uint8Array Uint8ClampedArray
  Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array
  BigUint64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry Iterator Proxy Promise decodeURI
  decodeURIComponent encodeURI encodeURIComponent escape unescape eval
  AbortController AbortSignal Blob Buffer CustomEvent DOMException Event EventTarget File FormData
  Headers ReadableStream TextDecoder TextEncoder TextDecoderStream TextEncoderStream TransformStream
  URL URLPattern URLSearchParams WritableStream WebAssembly atob btoa crypto global performance
  clearImmediate clearInterval clearTimeout queueMicrotask setImmediate setInterval setTimeout
  structuredClone
`;

/** @param {{ exit: (code?: number) => void }} host */
export function prepareGlobals({ exit }) {
  const kept = new Set(KEPT.trim().split(/\s+/));
  const original = globalThis.process;
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!kept.has(name)) Reflect.deleteProperty(globalThis, name);
  }
  define('process', {
    // As if it were in a file.
    argv: ['deno', '/program.js'],
    env: {},
    exitCode: undefined,
    exit,
    cwd: () => '/',
    nextTick: original.nextTick.bind(original),
    hrtime: original.hrtime,
    version: original.version,
    versions: { ...original.versions },
    arch: original.arch,
    platform: original.platform,
    uptime: () => performance.now() / 1000,
  });
}

/**
 * Gives a program its streams, whatever the one before did to them.
 * @param {(stream: 'stdout' | 'stderr', data: string | Uint8Array) => void} write
 */
export function renewConsole(write) {
  const [stdout, stderr] = ['stdout', 'stderr'].map((stream) => ({
    write(data) {
      write(stream, data);
      return true;
    },
  }));
  Object.assign(globalThis.process, { stdout, stderr });
  define('console', new Console({ stdout: listened(stdout), stderr: listened(stderr) }));
}

/** A console asks a stream for what only real ones have. */
function listened(stream) {
  const ignore = () => stream;
  return { ...stream, on: ignore, once: ignore, removeListener: ignore, listenerCount: () => 0 };
}

function define(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

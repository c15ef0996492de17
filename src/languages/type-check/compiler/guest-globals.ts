/** Globals of Node and Deno that are too many to describe: any use of them is allowed. */
const UNDESCRIBED = `
  AbortController AbortSignal Blob BroadcastChannel Buffer CompressionStream Crypto CryptoKey
  CustomEvent DOMException DecompressionStream Deno Event EventTarget File FormData Headers
  MessageChannel MessageEvent MessagePort Performance PerformanceObserver ReadableStream Request
  Response TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream URL
  URLPattern URLSearchParams WebAssembly WritableStream crypto exports global module performance
  process __dirname __filename`
  .trim()
  .split(/\s+/);

const CONSOLE_METHODS = `
  assert clear count countReset debug dir dirxml error group groupCollapsed groupEnd info log table
  time timeEnd timeLog trace warn`
  .trim()
  .split(/\s+/);

/**
 * What programs have in addition to ECMAScript, without the types of Node, which need not be
 * installed. Every module is `any`, and the library's types are loosened if they are stricter than
 * JavaScript.
 */
export const GUEST_GLOBALS: string = `
declare module '*';
${UNDESCRIBED.map((name) => `declare var ${name}: any; type ${name} = any;`).join('\n')}
declare const console: { ${CONSOLE_METHODS.map((name) => `${name}(...data: any[]): void;`).join(' ')} };
declare namespace NodeJS { type Timeout = any; type Immediate = any; type ProcessEnv = any; type ErrnoException = any; }
declare var require: any;
interface ImportMeta { [name: string]: any }
declare function setTimeout(callback: (...values: any[]) => unknown, delay?: number, ...values: any[]): any;
declare function setInterval(callback: (...values: any[]) => unknown, delay?: number, ...values: any[]): any;
declare function setImmediate(callback: (...values: any[]) => unknown, ...values: any[]): any;
declare function clearTimeout(timer?: any): void;
declare function clearInterval(timer?: any): void;
declare function clearImmediate(timer?: any): void;
declare function queueMicrotask(callback: () => unknown): void;
declare function structuredClone<Value>(value: Value, options?: any): Value;
declare function atob(text: any): string;
declare function btoa(text: any): string;
declare function submit(value: any): void;
declare function show(image: Uint8Array | ArrayBuffer | string): void;
declare function report(text: any): void;
declare function parseInt(text: any, radix?: number): number;
declare function parseFloat(text: any): number;
declare function isNaN(value: any): boolean;
declare function isFinite(value: any): boolean;
interface SetConstructor { new (): Set<any> }
interface Array<T> { fill(): T[] }
interface ErrorConstructor { captureStackTrace(target: object, below?: unknown): void }
interface Error { [name: string]: any }
`;

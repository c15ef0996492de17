import { showValue } from '../shared/show-value.ts';
import { PtcError } from '../shared/errors.ts';

/** In characters. */
export const MAXIMUM_NAME_LENGTH = 128;

const pythonKeywords = words(`
  False None True and as assert async await break class continue def del elif else except finally
  for from global if import in is lambda nonlocal not or pass raise return try while with yield`);

/** Words with a special meaning in some places of Python. */
const pythonSoftKeywords = words('match case type');

const javascriptKeywords = words(`
  async await break case catch class const continue debugger default delete do else enum export
  extends false finally for function if import in instanceof let new null return static super switch
  this throw true try typeof var void while with yield implements interface package private
  protected public arguments eval undefined`);

/**
 * Names that Python programs rely on: a tool of that name would break programs that never call it.
 */
const pythonBuiltins = words(`
  abs aiter all anext any ascii asyncio bin bool breakpoint bytearray bytes callable chr
  classmethod compile complex copyright credits delattr dict dir divmod enumerate exec exit filter
  float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass
  iter len license list locals map max memoryview min next object oct open ord pow print property
  quit range repr reversed round set setattr slice sorted staticmethod str sum tuple vars zip
  BaseException Exception ArithmeticError AssertionError AttributeError EOFError ImportError
  IndexError KeyError KeyboardInterrupt LookupError NameError NotImplementedError OSError
  OverflowError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemExit TimeoutError
  TypeError ValueError ZeroDivisionError Ellipsis NotImplemented
  collections datetime functools itertools json math os random re statistics sys time`);

/** Names that JavaScript programs in Node and Deno rely on. */
const javascriptBuiltins = words(`
  AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt
  BigInt64Array BigUint64Array Blob Boolean BroadcastChannel Buffer ByteLengthQueuingStrategy
  Cache CacheStorage CloseEvent CompressionStream CountQueuingStrategy Crypto CryptoKey
  CustomEvent DOMException DataView Date DecompressionStream Deno DisposableStack Error ErrorEvent
  EvalError Event EventSource EventTarget File FileReader FinalizationRegistry Float16Array
  Float32Array Float64Array FormData Function Headers Infinity Int16Array Int32Array Int8Array
  Intl Iterator JSON Location Map Math MessageChannel MessageEvent MessagePort NaN Navigator
  Number Object Performance PerformanceEntry PerformanceMark PerformanceMeasure
  PerformanceObserver PerformanceObserverEntryList PerformanceResourceTiming ProgressEvent Promise
  PromiseRejectionEvent Proxy QuotaExceededError RangeError ReadableByteStreamController
  ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
  ReadableStreamDefaultController ReadableStreamDefaultReader ReferenceError Reflect RegExp
  Request Response Set SharedArrayBuffer Storage String SubtleCrypto SuppressedError Symbol
  SyntaxError Temporal TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream
  TransformStreamDefaultController TypeError URIError URL URLPattern URLSearchParams Uint16Array
  Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket Window
  Worker WritableStream WritableStreamDefaultController WritableStreamDefaultWriter atob btoa
  caches clearImmediate clearInterval clearTimeout console crypto decodeURI decodeURIComponent
  encodeURI encodeURIComponent escape exports fetch global globalThis isFinite isNaN localStorage
  location module navigator parseFloat parseInt performance process queueMicrotask require self
  sessionStorage setImmediate setInterval setTimeout structuredClone unescape window __dirname
  __filename`);

/** Keys with a special meaning for objects in JavaScript. */
const refusedNames = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The name of a tool's function in programs: `expense:list` becomes `expense_list`, and `2fa`
 * becomes `_2fa`. A name that a language or its programs already use, such as `print`, gets a
 * trailing `_`.
 */
export function toIdentifier(name: string): string {
  const identifier = withWordCharacters(name);
  return isTakenInPython(identifier) || isTakenInJavaScript(identifier)
    ? `${identifier}_`
    : identifier;
}

/**
 * The object and the function of a tool named `resource:action` in JavaScript, such as `orders` and
 * `delete`; undefined for any other name. The function can have any name, because it is a property.
 */
export function toJavaScriptPath(name: string): ToolPath | undefined {
  const [resource, action] = partsOf(name) ?? [];
  if (resource === undefined || action === undefined) return undefined;
  return [isTakenInJavaScript(resource) ? `${resource}_` : resource, action];
}

/** The same in Python, where an attribute cannot be a keyword, and one such as `__class__` has a meaning. */
export function toPythonPath(name: string): ToolPath | undefined {
  const [resource, action] = partsOf(name) ?? [];
  if (resource === undefined || action === undefined) return undefined;
  return [
    isTakenInPython(resource) ? `${resource}_` : resource,
    pythonKeywords.has(action) || isOfLanguage(action) ? `${action}_` : action,
  ];
}

type ToolPath = readonly [resource: string, action: string];

function partsOf(name: string): ToolPath | undefined {
  const [resource = '', action = '', ...rest] = name.split(':');
  if (resource === '' || action === '' || rest.length > 0) return undefined;
  return [withWordCharacters(resource), withWordCharacters(action)];
}

/** Whether a word cannot name a function in JavaScript. */
export function isJavaScriptKeyword(word: string): boolean {
  return javascriptKeywords.has(word);
}

function isTakenInPython(identifier: string): boolean {
  return (
    pythonKeywords.has(identifier) ||
    pythonSoftKeywords.has(identifier) ||
    pythonBuiltins.has(identifier) ||
    isSpecial(identifier)
  );
}

function isTakenInJavaScript(identifier: string): boolean {
  return (
    javascriptKeywords.has(identifier) ||
    javascriptBuiltins.has(identifier) ||
    refusedNames.has(identifier) ||
    isSpecial(identifier)
  );
}

/** The functions and classes that this package gives programs. */
const ownNames: ReadonlySet<string> = new Set(['ToolError', 'submit', 'show', 'report']);

/** Names with a meaning in the languages or in this package. */
function isSpecial(identifier: string): boolean {
  return ownNames.has(identifier) || isOfLanguage(identifier);
}

/** Names that a language keeps for itself, such as `__init__` and `__proto__`. */
function isOfLanguage(identifier: string): boolean {
  return /^__.*__$/.test(identifier);
}

/**
 * The name of a parameter in Python. Only keywords are reserved there, because a parameter does not
 * hide names of the caller.
 */
export function toPythonParameter(name: string): string {
  const identifier = withWordCharacters(name);
  return pythonKeywords.has(identifier) ? `${identifier}_` : identifier;
}

/** @throws PtcError `TOOL_INVALID` for a name that a tool cannot have. */
export function checkToolName(name: unknown): asserts name is string {
  const refuse = (reason: string): never => {
    throw new PtcError('TOOL_INVALID', `The tool name ${shown(name)} ${reason}`);
  };
  if (typeof name !== 'string')
    refuse('is not a string; give the tool a name such as "get_expenses".');
  const text = String(name);
  if (text.trim() === '') refuse('is empty; give the tool a name such as "get_expenses".');
  if (text.length > MAXIMUM_NAME_LENGTH) {
    refuse(`has ${text.length} characters; at most ${MAXIMUM_NAME_LENGTH} are allowed.`);
  }
  if (/[\p{Control}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}]/u.test(text)) {
    refuse('contains a control character or half a surrogate pair; remove it.');
  }
  if (refusedNames.has(text)) refuse('has a special meaning in JavaScript; choose another name.');
}

/**
 * Scripts whose letters have not changed for long. Unicode grows, and a letter that this Node knows
 * may be a syntax error in an older Python.
 */
const settledLetters: readonly (readonly [first: number, last: number])[] = [
  [0x0000, 0x024f], // Latin
  [0x0370, 0x052f], // Greek, Cyrillic
  [0x0590, 0x05ff], // Hebrew
  [0x0620, 0x06ff], // Arabic
  [0x0900, 0x097f], // Devanagari
  [0x0e00, 0x0e7f], // Thai
  [0x1e00, 0x1fff], // Latin and Greek with marks
  [0x3040, 0x30ff], // Japanese
  [0x4e00, 0x9fef], // Chinese
  [0xac00, 0xd7a3], // Korean
];

/** Python normalizes identifiers to NFKC, so this form is used from the start. */
function withWordCharacters(name: string): string {
  // Most names, and quick to find: sources have thousands.
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  const replaced = name
    .normalize('NFKC')
    .replaceAll(/./gsu, (character) => (isWordCharacter(character) ? character : '_'));
  return /^[\p{XID_Start}_]/u.test(replaced) ? replaced : `_${replaced}`;
}

function isWordCharacter(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const isSettled = settledLetters.some(([first, last]) => first <= code && code <= last);
  return isSettled && /\p{XID_Continue}/u.test(character);
}

function shown(name: unknown): string {
  const text = typeof name === 'string' ? JSON.stringify(name) : showValue(name);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

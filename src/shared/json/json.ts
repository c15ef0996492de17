import { types } from 'node:util';
import { PtcError, messageOf } from '../errors.ts';

/** A value that JSON can represent without loss. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** Deeper values are refused, long before they could exhaust the stack on either side. */
const MAXIMUM_DEPTH = 500;

/**
 * Longer texts are refused. The limit is a quarter of the longest string, because V8 may abort the
 * whole process instead of throwing if `JSON.stringify` exceeds that.
 */
const MAXIMUM_LENGTH = 2 ** 27;

/**
 * From this many objects on, the lengths of objects are remembered. Most results are far smaller
 * and need not pay for it.
 */
const REMEMBER_FROM = 500_000;

const isIdentifier = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** The path to a part of a value as people write it: `items[3].id`, `["odd key"].x`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (typeof key === 'string' && !isIdentifier.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

/**
 * Turns a tool's result into JSON text. Unlike `JSON.stringify`, it refuses what JSON would
 * silently change or lose, such as a NaN, a Map or a function. As with `JSON.stringify`, `toJSON`
 * is called, undefined properties are left out, and undefined elements become null. An undefined
 * value as a whole becomes null, too.
 * @param name - What messages call the value.
 * @throws PtcError `VALUE_NOT_JSON`. The message and `details.path` name the part that JSON cannot
 * represent.
 */
export function toJsonText(value: unknown, name = 'result'): string {
  if (value === undefined) return 'null';
  const check = new JsonCheck(name);
  try {
    check.visit(value, '');
  } catch (error) {
    if (PtcError.isInstance(error)) throw error;
    throw check.refusal(`cannot be read: ${messageOf(error)}`, error);
  }
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    const reason =
      error instanceof RangeError && /string length/i.test(error.message)
        ? TOO_LARGE
        : `cannot be turned into JSON: ${messageOf(error)}`;
    throw new PtcError('VALUE_NOT_JSON', `${name} ${reason}`, {
      cause: error,
      details: { path: name },
    });
  }
}

const DATE_LENGTH = '"2026-01-02T03:04:05.000Z"'.length - 1;

const TOO_LARGE = 'is too large for one JSON text; return less, such as a page or a summary';

/**
 * Finds what JSON cannot represent. It walks the value itself because a replacer of
 * `JSON.stringify` is several times slower.
 */
class JsonCheck {
  readonly #name: string;
  readonly #ancestors: object[] = [];
  /**
   * The keys of the path to the current value. Entries from `#depth` on are left from other
   * branches.
   */
  readonly #path: (string | number)[] = [];
  #depth = 0;
  /** A lower bound of the length of the text. */
  #length = 0;
  #objects = 0;
  /**
   * The lengths of objects: a small value with shared parts can expand to more than fits in memory.
   */
  readonly #lengths: Map<object, number> = new Map();

  constructor(name: string) {
    this.#name = name;
  }

  /** Checks a value. What contains it counts its first character and the comma after it. */
  visit(value: unknown, key: string | number): void {
    switch (typeof value) {
      case 'string':
        this.#grow(value.length + 1);
        return;
      case 'number':
        if (!Number.isFinite(value)) throw this.refusal(`is ${value}; send null or a string`);
        return;
      case 'boolean':
      case 'undefined':
        this.#grow(3);
        return;
      case 'bigint':
        throw this.refusal('is a BigInt, which JSON cannot represent; send it as a string');
      case 'symbol':
        throw this.refusal(
          'is a symbol, which JSON cannot represent; send a string or leave it out',
        );
      case 'function':
        throw this.refusal('is a function, which JSON cannot represent; send data or leave it out');
      default:
        if (value === null) this.#grow(3);
        else this.#visitObject(value as object, key);
    }
  }

  refusal(reason: string, cause?: unknown): PtcError {
    const path = formatPath([this.#name, ...this.#path.slice(0, this.#depth)]);
    return new PtcError('VALUE_NOT_JSON', `${path} ${reason}`, { details: { path }, cause });
  }

  #visitObject(value: object, key: string | number): void {
    this.#refuseSpecial(value);
    const { toJSON } = value as { toJSON?: unknown };
    // Database rows contain many dates, and each becomes a short string.
    if (types.isDate(value) && toJSON === Date.prototype.toJSON) {
      this.#grow(DATE_LENGTH);
      return;
    }
    const replacement: unknown =
      typeof toJSON === 'function' ? toJSON.call(value, String(key)) : value;
    // As with `JSON.stringify`, `toJSON` of the replacement is not called.
    if (typeof replacement === 'object' && replacement !== null) this.#visitMembers(replacement);
    else this.visit(replacement, key);
  }

  #refuseSpecial(value: object): void {
    if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) return;
    const reason = reasonAgainst(value);
    if (reason !== undefined) throw this.refusal(reason);
  }

  #visitMembers(value: object): void {
    if (types.isBoxedPrimitive(value)) {
      this.visit(value.valueOf(), '');
      return;
    }
    this.#refuseSpecial(value);
    if (this.#ancestors.includes(value)) {
      throw this.refusal('contains itself (a cycle); send an id instead');
    }
    if (this.#ancestors.length >= MAXIMUM_DEPTH) {
      throw this.refusal(`is nested more than ${MAXIMUM_DEPTH} levels deep; flatten it`);
    }
    const known = this.#lengths.get(value);
    if (known !== undefined) {
      this.#grow(known);
      return;
    }
    this.#ancestors.push(value);
    const depth = this.#depth++;
    const lengthBefore = this.#length;
    if (Array.isArray(value)) {
      this.#grow(value.length * 2);
      for (let index = 0; index < value.length; index++) {
        this.#path[depth] = index;
        this.visit(value[index], index);
      }
    } else {
      const record = value as Record<string, unknown>;
      for (const name of Object.keys(record)) {
        this.#path[depth] = name;
        const member = record[name];
        if (member === undefined) continue;
        this.#grow(name.length + 5);
        this.visit(member, name);
      }
    }
    this.#depth = depth;
    this.#ancestors.pop();
    if (++this.#objects >= REMEMBER_FROM && this.#lengths.size < REMEMBER_FROM) {
      this.#lengths.set(value, this.#length - lengthBefore);
    }
  }

  #grow(length: number): void {
    this.#length += length;
    if (this.#length <= MAXIMUM_LENGTH) return;
    this.#depth = 0;
    throw this.refusal(TOO_LARGE);
  }
}

/** What `JSON.stringify` would make `{}` of, whatever it contains. */
const EMPTY_IN_JSON: ReadonlyMap<string, string> = new Map([
  ['Headers', 'is a Headers object; send Object.fromEntries(headers)'],
  ['URLSearchParams', 'is a URLSearchParams object; send it as a string: String(parameters)'],
  ['FormData', 'is a FormData object; send Object.fromEntries(form)'],
  ['Blob', 'is a Blob; send its text: await blob.text()'],
  ['File', 'is a File; send its text: await file.text()'],
  ['ReadableStream', 'is a ReadableStream; read it first, for example with await response.text()'],
  ['Request', 'is a Request; send what of it is needed, such as its url'],
  ['WeakRef', 'is a WeakRef; send what it refers to: ref.deref()'],
]);

const ITERATOR = 'is an iterator; send an array: [...iterator]';

/** Why an object that is neither an array nor a plain object would lose data as JSON. */
function reasonAgainst(value: object): string | undefined {
  if (types.isMap(value)) return 'is a Map; send Object.fromEntries(map) or an array';
  if (types.isSet(value)) return 'is a Set; send it as an array: [...set]';
  if (types.isDate(value) && Number.isNaN(value.getTime())) return 'is an invalid Date; send null';
  if (types.isPromise(value)) return 'is a Promise; await it first';
  if (types.isNativeError(value)) return 'is an Error; throw it, or send its message';
  if (types.isRegExp(value)) return 'is a RegExp; send its source';
  if (types.isAnyArrayBuffer(value) || types.isArrayBufferView(value)) {
    const name = Object.prototype.toString.call(value).slice(8, -1);
    return `is binary data (${Buffer.isBuffer(value) ? 'Buffer' : name}); send text, such as base64`;
  }
  if (types.isWeakMap(value) || types.isWeakSet(value))
    return 'is a weak collection; send an array';
  if (types.isGeneratorObject(value) || types.isMapIterator(value) || types.isSetIterator(value)) {
    return ITERATOR;
  }
  const name = Object.prototype.toString.call(value).slice(8, -1);
  if (name === 'Response') {
    return 'is a Response; read what it contains, for example with await response.json()';
  }
  // Such as that of `matchAll`, whose name is `RegExp String Iterator`.
  const reason = EMPTY_IN_JSON.get(name) ?? (/\bIterator\b/.test(name) ? ITERATOR : undefined);
  if (reason === undefined || Object.keys(value).length > 0) return undefined;
  return typeof (value as { toJSON?: unknown }).toJSON === 'function' ? undefined : reason;
}

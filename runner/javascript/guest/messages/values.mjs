/**
 * The value that a program hands back, by `submit` or as its last expression, as JSON that the host
 * accepts.
 */

import util from 'node:util';
import { isTooDeep, MAX_DEPTH, plain } from './call-arguments.mjs';
import { shorten } from '../errors/failures.mjs';
import { encodeText, VALUE } from './frames.mjs';

const MAX_SHOWN_LENGTH = 1 << 18;
const { isArray } = Array;
const { getPrototypeOf, prototype: objectPrototype } = Object;
const { stringify } = JSON;
const { apply, get } = Reflect;
const isWellFormed = get(String.prototype, 'isWellFormed');
const { isAnyArrayBuffer, isDataView, isMap, isPromise, isSet, isTypedArray } = util.types;
const { isUint8Array, isUint8ClampedArray } = util.types;

/** The value of the current program. */
export class HandedBack {
  #executionId;
  #maxBytes = 0;
  #maxValues = 0;
  // Its frame; empty if there is none.
  #line = '';

  /** Sets the limits of a value, which the host sends before the first program. */
  configure(settings) {
    this.#maxBytes = settings.call_limit_bytes;
    this.#maxValues = settings.call_limit_values;
  }

  /** Begins a program. */
  start(executionId) {
    this.#executionId = executionId;
    this.#line = '';
  }

  /** Returns the function by which a program hands a value back. The last call counts. */
  makeFunction() {
    const submit = (value) => this.#submit(value);
    return submit;
  }

  #submit(value) {
    let reason;
    try {
      this.#line = this.#encode(value);
      return;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    throw new TypeError(`submit() cannot hand this back: ${reason}`);
  }

  /**
   * Handles the value of the last expression.
   * @param {(value: unknown) => string} inspect
   * @returns {string | null} the text that shows it; null if nothing is to be shown.
   */
  takeLast(value, inspect) {
    if (value === undefined) return null;
    const shown = show(value, inspect);
    if (this.#line !== '') return shown;
    try {
      this.#line = this.#encode(value);
    } catch {
      // Programs may end with an expression that is not meant to be handed back.
    }
    return shown;
  }

  /** The line that is sent to the supervisor before the report of the program's end. */
  get line() {
    return this.#line;
  }

  /** @throws {TypeError} for a value that the host would refuse, with what to do. */
  #encode(value) {
    const json = encodeValue(value, this.#maxValues, this.#maxBytes);
    const line = encodeText(VALUE, `{"execution_id":"${this.#executionId}","value":${json}}`);
    // It is ASCII, so each character is a byte.
    if (line.length > this.#maxBytes) throw tooLong(this.#maxBytes);
    return line;
  }
}

/** Returns a value as `console.log` shows it. Most programs that end with null have nothing to show. */
function show(value, inspect) {
  if (value === null) return null;
  return shorten(typeof value === 'string' ? value : inspect(value), MAX_SHOWN_LENGTH);
}

function encodeValue(value, maxValues, maxBytes) {
  let values = 0;
  let characters = 0;
  const json = stringify(value, function (key, member) {
    values += 1;
    if (values > maxValues) {
      throw new TypeError(`it has more than ${maxValues} values; hand back less, or one JSON text`);
    }
    characters += key.length + (typeof member === 'string' ? member.length : 0);
    if (characters > maxBytes) throw tooLong(maxBytes);
    if (member === undefined) return member;
    checkKey(key);
    // Checked before `toJSON`, which a buffer has.
    if (isBinary(this[key])) {
      throw new TypeError(
        `${nameOf(key)} is binary data; hand back text, such as base64, or an array`,
      );
    }
    return checked(nameOf(key), member, maxValues);
  });
  if (json === undefined) throw new TypeError('it is undefined; hand back null or a value');
  if (isTooDeep(json)) {
    throw new TypeError(`it is nested more than ${MAX_DEPTH} levels deep; flatten it`);
  }
  return json;
}

function checkKey(key) {
  if (key === '__proto__') {
    throw new TypeError('the host does not take a key __proto__; give it another name');
  }
  if (!apply(isWellFormed, key, [])) throw new TypeError(`a key ${BROKEN}`);
}

const BROKEN = 'has half of a surrogate pair, which is not a character; replace it';

function nameOf(key) {
  return key === '' ? 'it' : key;
}

/** Returns the JSON form of a member. */
function checked(name, member, maxValues) {
  if (typeof member === 'string' && !apply(isWellFormed, member, [])) {
    throw new TypeError(`${name} ${BROKEN}`);
  }
  if (typeof member !== 'object' || member === null) return plain(name, member);
  if (sizeOf(member) > maxValues) {
    throw new TypeError(`${name} has more than ${maxValues} values; hand back less`);
  }
  const value = plain(name, member);
  if (isPromise(value)) throw new TypeError(`${name} is a Promise; await it first`);
  if (!isPlain(value)) {
    throw new TypeError(`${name} is ${describe(value)}; hand back a plain object of its data`);
  }
  return value;
}

/** Other typed arrays are encoded as arrays of numbers. */
function isBinary(object) {
  if (isAnyArrayBuffer(object) || isDataView(object)) return true;
  return isUint8Array(object) || isUint8ClampedArray(object);
}

/** Returns how many values `plain` makes of an object. */
function sizeOf(object) {
  if (isTypedArray(object)) return object.length;
  return isSet(object) || isMap(object) ? object.size : 0;
}

/** Whether it is an array or an object without a class, of any realm. */
function isPlain(value) {
  if (isArray(value)) return true;
  const prototype = getPrototypeOf(value);
  return prototype === null || prototype === objectPrototype || getPrototypeOf(prototype) === null;
}

function describe(value) {
  const { name } = value.constructor ?? {};
  return typeof name === 'string' && name !== ''
    ? `an object of class ${name}`
    : 'not a plain object';
}

function tooLong(maxBytes) {
  return new TypeError(`it takes more than ${maxBytes} bytes as JSON; hand back less`);
}

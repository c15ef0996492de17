/** What a program hands back: the value of `submit`, or that of its last expression, as JSON that the host takes. */

import { types } from 'node:util';
import { isTooDeep, MAX_DEPTH, plain } from './call-arguments.mjs';
import { shorten } from './failures.mjs';
import { encodeText, VALUE } from './frames.mjs';

const MAX_SHOWN_LENGTH = 1 << 18;
const { abs } = Math;
const { isArray } = Array;
const { getPrototypeOf, prototype: objectPrototype } = Object;
const { isInteger, MAX_SAFE_INTEGER } = Number;
const { stringify } = JSON;
const { apply, get } = Reflect;
const isWellFormed = get(String.prototype, 'isWellFormed');
const { isAnyArrayBuffer, isDataView, isMap, isPromise, isSet, isTypedArray } = types;
const { isUint8Array, isUint8ClampedArray } = types;
/** From here on, numbers are printed with an exponent, and the host takes them for doubles. */
const FIRST_WITH_EXPONENT = 1e21;

/** The value of the program under way. */
export class HandedBack {
  #executionId;
  #maxBytes = 0;
  #maxValues = 0;
  // Its frame; empty if there is none.
  #line = '';

  /** The host says how large it may be, before the first program. */
  configure(settings) {
    this.#maxBytes = settings.call_limit_bytes;
    this.#maxValues = settings.call_limit_values;
  }

  /** Begins a run. */
  start(executionId) {
    this.#executionId = executionId;
    this.#line = '';
  }

  /** The function by which a program hands a value back. The last call counts. */
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
   * Takes the value of the last expression.
   * @param {(value: unknown) => string} inspect
   * @returns {string | null} what is shown of it.
   */
  takeLast(value, inspect) {
    if (value === undefined) return null;
    const shown = shorten(inspect(value), MAX_SHOWN_LENGTH);
    if (this.#line !== '') return shown;
    try {
      this.#line = this.#encode(value);
    } catch {
      // Not every last expression is there to be handed back.
    }
    return shown;
  }

  /** What goes to the supervisor before the report of the run's end. */
  get line() {
    return this.#line;
  }

  /** @throws {TypeError} for what the host would not take, with what to do. */
  #encode(value) {
    const json = encodeValue(value, this.#maxValues, this.#maxBytes);
    const line = encodeText(VALUE, `{"execution_id":"${this.#executionId}","value":${json}}`);
    // It is ASCII: a byte a character.
    if (line.length > this.#maxBytes) throw tooLong(this.#maxBytes);
    return line;
  }
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
    // Before its `toJSON`, which a buffer has.
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

/** What stands in JSON for a member. */
function checked(name, member, maxValues) {
  if (typeof member === 'string' && !apply(isWellFormed, member, [])) {
    throw new TypeError(`${name} ${BROKEN}`);
  }
  if (typeof member === 'number' && isTooLarge(member)) {
    throw new TypeError(
      `${name} is ${member}, a whole number too large to arrive exactly; hand it back as text`,
    );
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

/** Other typed arrays are arrays of numbers. */
function isBinary(object) {
  if (isAnyArrayBuffer(object) || isDataView(object)) return true;
  return isUint8Array(object) || isUint8ClampedArray(object);
}

/** How many values `plain` makes of an object. */
function sizeOf(object) {
  if (isTypedArray(object)) return object.length;
  return isSet(object) || isMap(object) ? object.size : 0;
}

/** Whether the host would take its digits for those of a number that it cannot count up to. */
function isTooLarge(number) {
  return isInteger(number) && abs(number) > MAX_SAFE_INTEGER && abs(number) < FIRST_WITH_EXPONENT;
}

/** Whether it is an array or an object of no class, of whatever realm. */
function isPlain(value) {
  if (isArray(value)) return true;
  const prototype = getPrototypeOf(value);
  return prototype === null || prototype === objectPrototype || getPrototypeOf(prototype) === null;
}

function describe(value) {
  const { name } = value.constructor ?? {};
  return typeof name === 'string' && name !== '' ? `an object of class ${name}` : 'no plain object';
}

function tooLong(maxBytes) {
  return new TypeError(`it takes more than ${maxBytes} bytes as JSON; hand back less`);
}

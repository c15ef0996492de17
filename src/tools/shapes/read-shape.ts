import {
  emptyShape,
  listOf,
  MAXIMUM_DEPTH,
  objectOf,
  SCALAR,
  ShapeNames,
  type ListShape,
  type ObjectShape,
  type Shape,
} from './shape.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LETTER_T = 0x74;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const ZERO = 0x30;
const NINE = 0x39;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const EXPONENT = 0x65;

/** The shape of any number of results of a tool. */
export class ResultShape {
  readonly shape: Shape = emptyShape();
  /** Whether a result was cut, so that it may have more than the shape shows. */
  isCut = false;
  readonly #names: ShapeNames = new ShapeNames(this.shape);

  /**
   * Adds a result. Takes time in proportion to its text, and no memory for its values.
   * @param text - What `JSON.stringify` returned, or the beginning of that.
   */
  read(text: string): void {
    if (!new ShapeReader(text, this.#names).value(this.shape, 0)) this.isCut = true;
  }

  /** Adds what another one knows. */
  add(other: ResultShape): void {
    this.#names.add(other.shape, this.shape);
    this.isCut ||= other.isCut;
  }

  /** The limited names of `shape`, for whoever makes it from something else. */
  get names(): ShapeNames {
    return this.#names;
  }
}

/**
 * Reads the shape of a JSON text without parsing it: a result can be large, and its values are not
 * needed. Each method returns false if the text ended early.
 */
class ShapeReader {
  readonly #text: string;
  readonly #names: ShapeNames;
  #at = 0;

  constructor(text: string, names: ShapeNames) {
    this.#text = text;
    this.#names = names;
  }

  value(shape: Shape, depth: number): boolean {
    const first = this.#text.charCodeAt(this.#at);
    if (Number.isNaN(first)) return false;
    shape.seen += 1;
    switch (first) {
      case QUOTE:
        shape.scalars |= SCALAR.string;
        return this.#skipString();
      case OPEN_LIST:
        return depth < MAXIMUM_DEPTH ? this.#list(listOf(shape), depth) : this.#unknown(shape);
      case OPEN_OBJECT:
        return depth < MAXIMUM_DEPTH ? this.#object(objectOf(shape), depth) : this.#unknown(shape);
      case LETTER_T:
        shape.scalars |= SCALAR.boolean;
        return this.#skip('true'.length);
      case LETTER_F:
        shape.scalars |= SCALAR.boolean;
        return this.#skip('false'.length);
      case LETTER_N:
        shape.scalars |= SCALAR.null;
        return this.#skip('null'.length);
      default:
        return this.#number(shape);
    }
  }

  #list(list: ListShape, depth: number): boolean {
    this.#at += 1;
    let length = 0;
    let isWhole = true;
    while (isWhole && this.#text.charCodeAt(this.#at) !== CLOSE_LIST) {
      isWhole = this.value(list.items, depth + 1) && this.#endMember(CLOSE_LIST);
      if (isWhole) length += 1;
    }
    this.#at += 1;
    list.shortest = Math.min(list.shortest, length);
    list.longest = Math.max(list.longest, length);
    list.isCut ||= !isWhole;
    return isWhole;
  }

  #object(object: ObjectShape, depth: number): boolean {
    this.#at += 1;
    let keys = 0;
    while (this.#text.charCodeAt(this.#at) !== CLOSE_OBJECT) {
      const key = this.#key();
      if (key === undefined) return false;
      if (!this.value(this.#names.valueOf(object, key, depth), depth + 1)) return false;
      if (!this.#endMember(CLOSE_OBJECT)) return false;
      keys += 1;
    }
    this.#at += 1;
    this.#names.end(object, depth, keys);
    return true;
  }

  /** The key of a member, without the colon after it. */
  #key(): string | undefined {
    const start = this.#at;
    if (!this.#skipString()) return undefined;
    const end = this.#at;
    this.#at += 1;
    // One with an escape is not the name of a field, so its exact text does not matter.
    return this.#text.slice(start + 1, end - 1);
  }

  #number(shape: Shape): boolean {
    let isInteger = true;
    for (; ; this.#at += 1) {
      const next = this.#text.charCodeAt(this.#at);
      if (next === POINT || next === EXPONENT) isInteger = false;
      else if (!(next >= ZERO && next <= NINE) && next !== MINUS && next !== PLUS) break;
    }
    shape.scalars |= isInteger ? SCALAR.integer : SCALAR.number;
    return true;
  }

  /** Skips a list or an object, however deep. */
  #unknown(shape: Shape): boolean {
    shape.isUnknown = true;
    let depth = 0;
    do {
      const character = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(character)) return false;
      if (character === QUOTE) {
        if (!this.#skipString()) return false;
        continue;
      }
      if (character === OPEN_LIST || character === OPEN_OBJECT) depth += 1;
      if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth -= 1;
      this.#at += 1;
    } while (depth > 0);
    return true;
  }

  #skipString(): boolean {
    let end = this.#at;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end === -1) return false;
    } while (this.#isEscaped(end));
    this.#at = end + 1;
    return true;
  }

  #isEscaped(index: number): boolean {
    let before = index - 1;
    while (this.#text.charCodeAt(before) === BACKSLASH) before -= 1;
    return (index - before) % 2 === 0;
  }

  /** Skips the comma after a member; false if neither that nor the end of the list or object follows. */
  #endMember(close: number): boolean {
    const next = this.#text.charCodeAt(this.#at);
    if (next === COMMA) this.#at += 1;
    return next === COMMA || next === close;
  }

  #skip(length: number): boolean {
    this.#at += length;
    return this.#at <= this.#text.length;
  }
}

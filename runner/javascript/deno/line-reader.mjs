/**
 * Splits the bytes of the supervisor into lines. Like `byte-ring.mjs`, it uses only functions that
 * it took when it was loaded.
 */

import { part, sizeOf } from '../../embedded/byte-ring.mjs';

const { apply, get, getPrototypeOf } = Reflect;
const { max } = Math;
const TypedArray = getPrototypeOf(Uint8Array.prototype);
const indexOf = get(TypedArray, 'indexOf');
const set = get(TypedArray, 'set');
const decoder = new TextDecoder();
const decode = get(TextDecoder.prototype, 'decode');
const NEWLINE = 0x0a;

export class LineReader {
  /** The beginning of an incomplete line, in a buffer with room for more. */
  #begun = new Uint8Array(0);
  #size = 0;

  /** Adds bytes, and calls back with each complete line, without its newline. */
  push(bytes, onLine) {
    const size = sizeOf(bytes);
    let start = 0;
    while (start < size) {
      const newline = apply(indexOf, bytes, [NEWLINE, start]);
      const end = newline === -1 ? size : newline;
      const piece = part(bytes, start, end - start);
      start = end + 1;
      if (newline === -1) this.#keep(piece);
      else onLine(apply(decode, decoder, [this.#complete(piece)]));
    }
  }

  #keep(piece) {
    const size = this.#size + sizeOf(piece);
    if (size > sizeOf(this.#begun)) {
      const larger = new Uint8Array(max(size, 2 * this.#size));
      apply(set, larger, [part(this.#begun, 0, this.#size), 0]);
      this.#begun = larger;
    }
    apply(set, this.#begun, [piece, this.#size]);
    this.#size = size;
  }

  #complete(piece) {
    if (this.#size === 0) return piece;
    this.#keep(piece);
    const line = part(this.#begun, 0, this.#size);
    this.#begun = new Uint8Array(0);
    this.#size = 0;
    return line;
  }
}

/** Joins the parts in a new buffer. */
export function join(parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

const LEAST_CAPACITY = 256;

/**
 * Bytes that arrive in parts. However small the parts are, they take at most twice their size, or the
 * size that is expected.
 */
export class Bytes {
  #buffer = new Uint8Array(0);
  length = 0;

  /** @param expected - How many bytes there will be, as far as is known. */
  add(part, expected = 0) {
    const length = this.length + part.length;
    if (length > this.#buffer.length) {
      const capacity = Math.max(LEAST_CAPACITY, 2 * this.length, length, expected);
      const larger = new Uint8Array(capacity);
      larger.set(this.#buffer.subarray(0, this.length));
      this.#buffer = larger;
    }
    this.#buffer.set(part, this.length);
    this.length = length;
  }

  /** Returns all bytes, until more are added. */
  view() {
    return this.#buffer.subarray(0, this.length);
  }

  /** Returns all bytes in their own buffer, and starts again with none. */
  take() {
    const bytes = this.view();
    this.#buffer = new Uint8Array(0);
    this.length = 0;
    return bytes;
  }
}

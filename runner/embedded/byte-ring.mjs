/**
 * A bounded queue of bytes between two threads, with one writer and one reader: the writer waits while
 * it is full, and what is in it can still be read when the writer is dead.
 *
 * The guest's end is used while a program runs that may have replaced any part of the language. So this
 * file uses only functions that it took when it was loaded, and looks nothing up in a prototype: a getter
 * or method of the program's would be called with the shared memory.
 */

const { apply, get, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { load, notify, store, wait, waitAsync } = Atomics;
const { Int32Array, SharedArrayBuffer, Uint8Array } = globalThis;
const { min } = Math;
const TypedArray = getPrototypeOf(Uint8Array.prototype);
const getter = (name) => get(getOwnPropertyDescriptor(TypedArray, name), 'get');
const [bufferOf, offsetOf, lengthOf] = ['buffer', 'byteOffset', 'byteLength'].map(getter);
const set = get(TypedArray, 'set');

const HEADER_BYTES = 8;
const READ_COUNT = 0;
const WRITTEN_COUNT = 1;

export class ByteRing {
  #counts;
  #data;
  #capacity;
  #onFirstByte;

  /**
   * @param memory - A `SharedArrayBuffer` from `allocate`, the same at both ends.
   * @param capacity - What it was allocated with.
   * @param onFirstByte - Called at the writer's end when the reader has something to read again.
   */
  constructor(memory, capacity, onFirstByte = () => {}) {
    this.#capacity = capacity;
    this.#onFirstByte = onFirstByte;
    this.#counts = new Int32Array(memory, 0, 2);
    this.#data = new Uint8Array(memory, HEADER_BYTES, capacity);
  }

  /** @param capacity - In bytes; a power of two, so that the counts may overflow. */
  static allocate(capacity) {
    return new SharedArrayBuffer(HEADER_BYTES + capacity);
  }

  /** Writes what there is room for of `bytes` from `start` on, and returns its size. */
  write(bytes, start = 0) {
    const written = load(this.#counts, WRITTEN_COUNT);
    const room = this.#capacity - this.#used();
    const size = min(room, sizeOf(bytes) - start);
    const position = written & (this.#capacity - 1);
    const untilWrap = min(size, this.#capacity - position);
    apply(set, this.#data, [part(bytes, start, untilWrap), position]);
    apply(set, this.#data, [part(bytes, start + untilWrap, size - untilWrap), 0]);
    store(this.#counts, WRITTEN_COUNT, (written + size) | 0);
    // Looked at after the store, as `isEmpty` is after a read: one of both ends always notices.
    if (load(this.#counts, READ_COUNT) === written) this.#onFirstByte();
    return size;
  }

  /** Waits until the reader has made room. Only for a thread that may block. */
  waitForRoom() {
    const read = load(this.#counts, READ_COUNT);
    if (this.#isFull(read)) wait(this.#counts, READ_COUNT, read);
  }

  /** The same as a promise; undefined if there is room. */
  untilRoom() {
    const read = load(this.#counts, READ_COUNT);
    if (!this.#isFull(read)) return undefined;
    const waiting = waitAsync(this.#counts, READ_COUNT, read);
    return waiting.async ? waiting.value : undefined;
  }

  get isEmpty() {
    return load(this.#counts, WRITTEN_COUNT) === load(this.#counts, READ_COUNT);
  }

  /**
   * Takes what was written, up to `limit` bytes. A hostile writer can make this wrong bytes, but not more
   * than there is room for.
   */
  read(limit = this.#capacity) {
    const read = load(this.#counts, READ_COUNT);
    const used = min(this.#used(), this.#capacity);
    const size = min(used, limit);
    const position = read & (this.#capacity - 1);
    const untilWrap = min(size, this.#capacity - position);
    const bytes = new Uint8Array(size);
    apply(set, bytes, [part(this.#data, position, untilWrap), 0]);
    apply(set, bytes, [part(this.#data, 0, size - untilWrap), untilWrap]);
    store(this.#counts, READ_COUNT, (read + size) | 0);
    // Whoever waits for room then finds much of it, and is not woken for each of the reader's small steps.
    if (used - size <= this.#capacity / 2) notify(this.#counts, READ_COUNT);
    return bytes;
  }

  #used() {
    return (load(this.#counts, WRITTEN_COUNT) - load(this.#counts, READ_COUNT)) >>> 0;
  }

  #isFull(read) {
    return (load(this.#counts, WRITTEN_COUNT) - read) >>> 0 >= this.#capacity;
  }
}

/** The bytes of a typed array. @throws {TypeError} for anything else */
export function sizeOf(bytes) {
  return apply(lengthOf, bytes, []);
}

/** Some of the bytes, in the same memory. */
export function part(bytes, start, size) {
  return new Uint8Array(apply(bufferOf, bytes, []), apply(offsetOf, bytes, []) + start, size);
}

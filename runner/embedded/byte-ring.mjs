/**
 * A bounded queue of bytes between two threads, with one writer and one reader. The writer waits
 * while the queue is full. After the writer has ended, the reader can still read its bytes.
 *
 * The guest's end is used while a program runs that may have replaced any part of the language. So
 * this file uses only functions that it took when it was loaded, and looks up nothing in a
 * prototype: otherwise a getter or method of the program would be called with the shared memory.
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
   * @param capacity - The capacity with which it was allocated.
   * @param onFirstByte - Called at the writer's end when the empty queue gets bytes.
   */
  constructor(memory, capacity, onFirstByte = () => {}) {
    this.#capacity = capacity;
    this.#onFirstByte = onFirstByte;
    this.#counts = new Int32Array(memory, 0, 2);
    this.#data = new Uint8Array(memory, HEADER_BYTES, capacity);
  }

  /** @param capacity - In bytes; a power of two, so that the counts can overflow. */
  static allocate(capacity) {
    return new SharedArrayBuffer(HEADER_BYTES + capacity);
  }

  /** Writes as many bytes from `start` on as fit, and returns their number. */
  write(bytes, start = 0) {
    const written = load(this.#counts, WRITTEN_COUNT);
    const room = this.#capacity - this.#used();
    const size = min(room, sizeOf(bytes) - start);
    const position = written & (this.#capacity - 1);
    const untilWrap = min(size, this.#capacity - position);
    apply(set, this.#data, [part(bytes, start, untilWrap), position]);
    if (untilWrap < size) {
      apply(set, this.#data, [part(bytes, start + untilWrap, size - untilWrap), 0]);
    }
    store(this.#counts, WRITTEN_COUNT, (written + size) | 0);
    // Checked after the store, as `isEmpty` is checked after a read, so one of both ends always
    // notices.
    if (load(this.#counts, READ_COUNT) === written) this.#onFirstByte();
    return size;
  }

  /** Waits until the reader has made room. Only for a thread that can block. */
  waitForRoom() {
    const read = load(this.#counts, READ_COUNT);
    if (this.#isFull(read)) wait(this.#counts, READ_COUNT, read);
  }

  /** Returns a promise for the same; undefined if there is room. */
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
   * Reads up to `limit` bytes. A hostile writer can make the bytes wrong, but cannot make them more
   * than the capacity.
   */
  read(limit = this.#capacity) {
    const bytes = new Uint8Array(min(this.#readable(), limit));
    this.#take(bytes);
    return bytes;
  }

  /** The same into memory that is there already. Returns how many bytes were read. */
  readInto(target) {
    const size = min(this.#readable(), sizeOf(target));
    this.#take(part(target, 0, size));
    return size;
  }

  #take(target) {
    const size = sizeOf(target);
    const read = load(this.#counts, READ_COUNT);
    const position = read & (this.#capacity - 1);
    const untilWrap = min(size, this.#capacity - position);
    apply(set, target, [part(this.#data, position, untilWrap), 0]);
    if (untilWrap < size) apply(set, target, [part(this.#data, 0, size - untilWrap), untilWrap]);
    store(this.#counts, READ_COUNT, (read + size) | 0);
    // Notifies only when half of the capacity is free, so that a waiting writer is not woken for
    // each small read.
    if (this.#used() <= this.#capacity / 2) notify(this.#counts, READ_COUNT);
  }

  #readable() {
    return min(this.#used(), this.#capacity);
  }

  #used() {
    return (load(this.#counts, WRITTEN_COUNT) - load(this.#counts, READ_COUNT)) >>> 0;
  }

  #isFull(read) {
    return (load(this.#counts, WRITTEN_COUNT) - read) >>> 0 >= this.#capacity;
  }
}

/** Returns the number of bytes of a typed array. @throws {TypeError} for other values */
export function sizeOf(bytes) {
  return apply(lengthOf, bytes, []);
}

/** Returns a part of the bytes as a view of the same memory. */
export function part(bytes, start, size) {
  return new Uint8Array(apply(bufferOf, bytes, []), apply(offsetOf, bytes, []) + start, size);
}

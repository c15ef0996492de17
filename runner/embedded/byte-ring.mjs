/**
 * A bounded road of bytes between two threads, with one writer and one reader: the writer waits while
 * it is full, and what is in it can still be read when the writer is dead.
 */

const HEADER_BYTES = 8;
const READ_COUNT = 0;
const WRITTEN_COUNT = 1;

export class ByteRing {
  #counts;
  #data;
  #onFirstByte;

  /**
   * @param memory - A `SharedArrayBuffer` from `allocate`, the same at both ends.
   * @param onFirstByte - Called at the writer's end when the reader has something to read again.
   */
  constructor(memory, onFirstByte = () => {}) {
    this.#onFirstByte = onFirstByte;
    this.#counts = new Uint32Array(memory, 0, 2);
    this.#data = new Uint8Array(memory, HEADER_BYTES);
  }

  /** @param capacity - In bytes; a power of two, so that the counts may overflow. */
  static allocate(capacity) {
    return new SharedArrayBuffer(HEADER_BYTES + capacity);
  }

  /** Writes what there is room for and gives its size. */
  write(bytes) {
    const written = Atomics.load(this.#counts, WRITTEN_COUNT);
    const used = (written - Atomics.load(this.#counts, READ_COUNT)) >>> 0;
    const accepted = bytes.subarray(0, this.#data.length - used);
    const start = written % this.#data.length;
    const untilWrap = Math.min(accepted.length, this.#data.length - start);
    this.#data.set(accepted.subarray(0, untilWrap), start);
    this.#data.set(accepted.subarray(untilWrap), 0);
    Atomics.store(this.#counts, WRITTEN_COUNT, written + accepted.length);
    // Looked at after the store, as `isEmpty` is after a read: one of both ends always notices.
    if (Atomics.load(this.#counts, READ_COUNT) === written) this.#onFirstByte();
    return accepted.length;
  }

  /** Waits until the reader has taken something. Only for a thread that may block. */
  waitForRoom() {
    const read = Atomics.load(this.#counts, READ_COUNT);
    const used = (Atomics.load(this.#counts, WRITTEN_COUNT) - read) >>> 0;
    if (used === this.#data.length) {
      Atomics.wait(new Int32Array(this.#counts.buffer, 0, 1), 0, read | 0);
    }
  }

  get isEmpty() {
    return Atomics.load(this.#counts, WRITTEN_COUNT) === Atomics.load(this.#counts, READ_COUNT);
  }

  /** Takes everything that was written. A hostile writer can make this wrong bytes, but not more than there is room for. */
  read() {
    const read = Atomics.load(this.#counts, READ_COUNT);
    const written = (Atomics.load(this.#counts, WRITTEN_COUNT) - read) >>> 0;
    const size = Math.min(written, this.#data.length);
    const start = read % this.#data.length;
    const untilWrap = Math.min(size, this.#data.length - start);
    const bytes = new Uint8Array(size);
    bytes.set(this.#data.subarray(start, start + untilWrap));
    bytes.set(this.#data.subarray(0, size - untilWrap), untilWrap);
    Atomics.store(this.#counts, READ_COUNT, read + size);
    Atomics.notify(new Int32Array(this.#counts.buffer, 0, 1), 0);
    return bytes;
  }
}

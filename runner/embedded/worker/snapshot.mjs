/**
 * The format of a stored memory snapshot. Half of an interpreter's memory is zero, so only the other
 * pages are kept. The first four bytes are the full size, little-endian. Then comes one bit for each
 * page, which says whether the page is kept, then the kept pages.
 */

const PAGE_SIZE = 4096;

export class StoredSnapshot {
  /** What Pyodide has written before the memory, as a snapshot of no memory. */
  head;
  memoryBytes;
  #stored;
  #size;

  /** @param stored - Not empty. */
  constructor(stored) {
    this.#stored = stored;
    this.#size = numberAt(stored, 0);
    // The second number of a snapshot is the size of its head.
    const start = new Uint8Array(8);
    this.#write(start, 0);
    this.head = new Uint8Array(numberAt(start, 4));
    this.#write(this.head, 0);
    this.memoryBytes = this.#size - this.head.length;
  }

  /** Restores the memory of an interpreter that has just been instantiated. */
  restore(memory) {
    this.#write(memory, this.head.length);
  }

  /** Writes what begins here, as far as there is room. */
  #write(target, begin) {
    const pageCount = Math.ceil(this.#size / PAGE_SIZE);
    const bitmap = this.#stored.subarray(4, 4 + Math.ceil(pageCount / 8));
    const isKept = (page) => (bitmap[page >> 3] & (1 << (page & 7))) !== 0;
    const end = begin + target.length;
    let offset = 4 + bitmap.length;
    for (let page = 0; page * PAGE_SIZE < end; page += 1) {
      const start = page * PAGE_SIZE;
      const length = Math.min(PAGE_SIZE, this.#size - start);
      const from = Math.max(start, begin);
      const to = Math.min(start + length, end);
      if (isKept(page)) {
        if (from < to) {
          const bytes = this.#stored.subarray(offset + from - start, offset + to - start);
          target.set(bytes, from - begin);
        }
        offset += length;
      } else if (from < to) clear(target.subarray(from - begin, to - begin));
    }
  }
}

/**
 * Writes only if it must: the system gives no memory for what was never written.
 * @param bytes - They begin and end at a multiple of four, as pages, heads and memories do.
 */
function clear(bytes) {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let index = 0;
  while (index < words.length && words[index] === 0) index += 1;
  if (index < words.length) bytes.fill(0);
}

function numberAt(bytes, offset) {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
}

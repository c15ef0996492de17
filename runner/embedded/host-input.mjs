/**
 * The host's data on standard input: first the files of the guests, then one frame on each line.
 */

import { join } from './bytes.mjs';

const READ_SIZE = 1 << 16;
const NEWLINE = 0x0a;

export class HostInput {
  #unread = new Uint8Array(0);

  /** Returns the bytes before the next newline. Blocks. */
  readLine() {
    const parts = [];
    for (;;) {
      const end = this.#unread.indexOf(NEWLINE);
      if (end !== -1) {
        parts.push(this.#take(end));
        this.#take(1);
        return join(parts);
      }
      parts.push(this.#take(this.#unread.length));
      this.#unread = readSome(new Uint8Array(READ_SIZE));
    }
  }

  /** Returns the next `size` bytes. Blocks. */
  readBytes(size) {
    const bytes = new Uint8Array(size);
    const start = this.#take(Math.min(size, this.#unread.length));
    bytes.set(start);
    for (let filled = start.length; filled < size;) {
      filled += readSome(bytes.subarray(filled)).length;
    }
    return bytes;
  }

  /**
   * Yields the following lines with their newlines, each in its own buffer, until the input ends.
   */
  async *lines() {
    const buffer = new Uint8Array(READ_SIZE);
    let parts = [];
    let chunk = this.#take(this.#unread.length);
    for (;;) {
      let start = 0;
      for (let end; (end = chunk.indexOf(NEWLINE, start)) !== -1; start = end + 1) {
        yield join([...parts, chunk.subarray(start, end + 1)]);
        parts = [];
      }
      if (start < chunk.length) parts.push(chunk.slice(start));
      const count = await Deno.stdin.read(buffer);
      if (count === null) return;
      chunk = buffer.subarray(0, count);
    }
  }

  #take(count) {
    const taken = this.#unread.subarray(0, count);
    this.#unread = this.#unread.subarray(count);
    return taken;
  }
}

function readSome(buffer) {
  const count = Deno.stdin.readSync(buffer);
  if (count === null) throw new Error('the host ended its output before the guest was complete');
  return buffer.subarray(0, count);
}

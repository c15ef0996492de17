/**
 * The host's data on standard input: first the files of the guests, then one frame on each line.
 */

import { join } from './bytes.mjs';
import { Lines } from './lines.mjs';

const READ_SIZE = 1 << 18;
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
    const lines = new Lines();
    yield* lines.push(this.#take(this.#unread.length));
    for (let count; (count = await Deno.stdin.read(buffer)) !== null;) {
      yield* lines.push(buffer.subarray(0, count));
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

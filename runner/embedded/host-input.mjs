/**
 * The host's data on standard input: first the files of the guests, then one frame on each line.
 */

import { join } from './bytes.mjs';
import { Lines } from './lines.mjs';

const READ_SIZE = 1 << 18;
/**
 * After so many reads, the input is read as a socket. Each read is then 0.03 ms shorter, but to load
 * `node:net` takes some 15 ms and 10 MB, more than most sandboxes would save. Only on Linux are the
 * pipes of a child process known to be sockets.
 */
const MOST_READS = Deno.build.os === 'linux' ? 500 : Infinity;
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
   * Calls back with each of the following lines with its newline, in its own buffer, until the input
   * ends.
   */
  async forEachLine(onLine) {
    const lines = new Lines();
    const take = (bytes) => {
      for (const line of lines.push(bytes)) onLine(line);
    };
    take(this.#take(this.#unread.length));
    const buffer = new Uint8Array(READ_SIZE);
    for (let reads = 0; reads < MOST_READS; reads += 1) {
      const count = await Deno.stdin.read(buffer);
      if (count === null) return;
      take(buffer.subarray(0, count));
    }
    await readSocket(buffer, take);
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

/**
 * Reads to the end of the input in the event loop of this thread. `Deno.stdin` wakes another thread
 * for each read.
 */
async function readSocket(buffer, take) {
  const { Socket } = await import('node:net');
  await new Promise((resolve, reject) => {
    const callback = (count) => {
      try {
        take(buffer.subarray(0, count));
      } catch (error) {
        reject(error);
      }
      return true;
    };
    const onread = { buffer, callback };
    const socket = new Socket({ fd: 0, readable: true, writable: false, onread });
    socket.once('end', resolve);
    socket.once('error', reject);
    socket.resume();
  });
}

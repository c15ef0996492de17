// A bare echo over two streams. It is the floor for any protocol over the same channel.

import { once } from 'node:events';
import { processorTime, timed } from './statistics.mjs';

const TEN_MEGABYTES = 10_000_000;

export class Echo {
  #write;
  #received = 0;
  #waiting;

  /** @param {(data: string) => void} write - Sends data to the echo process. */
  constructor(write) {
    this.#write = write;
  }

  /** Takes bytes that came back. */
  receive(chunk) {
    this.#received += chunk.length;
    this.#waiting?.();
  }

  /** Sends a line and waits until all of it has come back. */
  async roundTrip(line) {
    const expected = this.#received + Buffer.byteLength(line);
    this.#write(line);
    while (this.#received < expected) {
      await new Promise((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  /** The milliseconds of a short line's round trip, one after the other. */
  async shortLine(count) {
    const line = `${JSON.stringify({ id: 'x', value: 1 })}\n`;
    const total = await timed(async () => {
      for (let index = 0; index < count; index += 1) await this.roundTrip(line);
    });
    return total / count;
  }

  /**
   * The milliseconds of this process's processor time for a message's round trip, serialized and
   * parsed.
   */
  async processorTimeOfMessage(count) {
    const total = await processorTime(async () => {
      for (let index = 0; index < count; index += 1) {
        const line = `${JSON.stringify({ id: index, name: 'instant', arguments: {} })}\n`;
        await this.roundTrip(line);
        JSON.parse(line);
      }
    });
    return total / count;
  }

  /** The milliseconds of the round trip of 10 MB of text as JSON. */
  async tenMegabytes() {
    const text = 'x'.repeat(TEN_MEGABYTES);
    return timed(async () => {
      const line = `${JSON.stringify(text)}\n`;
      await this.roundTrip(line);
      JSON.parse(line);
    });
  }
}

/** An echo through the pipes of a child process. */
export function echoOfChild(child) {
  const echo = new Echo((data) => child.stdin.write(data));
  child.stdout.on('data', (chunk) => echo.receive(chunk));
  return {
    echo,
    async close() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

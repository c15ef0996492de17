/**
 * The wall behind the interpreter's own limit. A Python program that allocates too much gets
 * `MemoryError`; this watches what that limit does not count: buffers of pipes, compiled code, the
 * interpreter's JavaScript side. While a program runs, the whole process is measured.
 */

const INTERVAL_MS = 50;
/** What the engine may take on top: compiled code, messages of some ten megabytes, garbage not yet collected. */
const ENGINE_BYTES = 128 * 1024 * 1024;

export class MemoryWatch {
  #allowance;
  #onExcess;
  #limit = Infinity;
  #timer;

  /** @param allowance - What programs may use, in bytes, on top of the interpreter. */
  constructor(allowance, onExcess) {
    this.#allowance = allowance;
    this.#onExcess = onExcess;
  }

  /** Takes what is used now for the interpreter's own share. */
  setBase() {
    this.#limit = Deno.memoryUsage().rss + this.#allowance + ENGINE_BYTES;
  }

  start() {
    this.#timer ??= setInterval(() => {
      if (Deno.memoryUsage().rss > this.#limit) this.#onExcess();
    }, INTERVAL_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

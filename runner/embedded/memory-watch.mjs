/**
 * A second layer behind the interpreter's own limit. A Python program that allocates too much gets
 * `MemoryError`. This watch measures the whole process, including what that limit does not count:
 * buffers of pipes, compiled code, the JavaScript of the interpreter. It also measures between
 * programs.
 */

const INTERVAL_MS = 50;
const IDLE_INTERVAL_MS = 250;
/**
 * Memory that V8 and Deno may use in addition: compiled code, large messages, garbage that is not
 * collected yet.
 */
const ENGINE_BYTES = 128 * 1024 * 1024;

export class MemoryWatch {
  #allowance;
  #onExcess;
  #limit = Infinity;
  #timer;

  /** @param allowance - Memory that programs can use, in bytes, in addition to the interpreter. */
  constructor(allowance, onExcess) {
    this.#allowance = allowance;
    this.#onExcess = onExcess;
  }

  /** Counts the memory that is used now as the interpreter's own. */
  setBase() {
    this.#limit = Deno.memoryUsage().rss + this.#allowance + ENGINE_BYTES;
    this.onIdle();
  }

  onRun() {
    this.#measureEvery(INTERVAL_MS);
  }

  onIdle() {
    this.#measureEvery(IDLE_INTERVAL_MS);
  }

  #measureEvery(intervalMs) {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (Deno.memoryUsage().rss > this.#limit) this.#onExcess();
    }, intervalMs);
  }
}

/**
 * The wall behind the interpreter's own limit. A Python program that allocates too much gets
 * `MemoryError`; this watches what that limit does not count: buffers of pipes, compiled code, the
 * interpreter's JavaScript side. The whole process is measured, between programs too.
 */

const INTERVAL_MS = 50;
const IDLE_INTERVAL_MS = 250;
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
    this.onIdle();
  }

  onRun() {
    this.#lookEvery(INTERVAL_MS);
  }

  onIdle() {
    this.#lookEvery(IDLE_INTERVAL_MS);
  }

  #lookEvery(intervalMs) {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (Deno.memoryUsage().rss > this.#limit) this.#onExcess();
    }, intervalMs);
  }
}

import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 250;

/**
 * Pauses between attempts to reach an API server, each twice as long as the one before. After an
 * attempt that went on for longer than the next pause, they begin anew.
 */
export class Pauses {
  readonly #longestMs: number;
  #nextMs = FIRST_PAUSE_MS;
  #since: number = performance.now();

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** Waits until the next attempt, or until the signal fires. It keeps no process alive. */
  async wait(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#since > this.#nextMs) this.#nextMs = FIRST_PAUSE_MS;
    const pauseMs = Math.min(this.#nextMs, this.#longestMs);
    this.#nextMs = 2 * pauseMs;
    // It rejects when the signal fires.
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    this.#since = performance.now();
  }
}

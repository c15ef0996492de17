/**
 * How long an interrupted program may take to stop before its interpreter is ended. The time in
 * which it waits for a processor does not count.
 */
export const CANCEL_GRACE_MS = 1000;

/** How long it may take in all, on a machine that is so busy that it hardly gets a processor. */
export const CANCEL_LIMIT_MS = 5000;

/**
 * How much longer the host waits for the report of that before it ends the sandbox itself. Before it reports, the runner ends what
 * the program left, which takes seconds on a busy machine.
 */
export const CANCEL_PATIENCE_MS = 10_000;

/** The time limit of a program. It pauses while at least one holder holds it. */
export class ExecutionClock {
  readonly #onEnd: () => void;
  readonly #holders: Set<string> = new Set();
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param onEnd - Called when the time is up. */
  constructor(limitMs: number, onEnd: () => void) {
    this.#leftMs = limitMs;
    this.#onEnd = onEnd;
  }

  /** The rest of the limit, in milliseconds. */
  get leftMs(): number {
    const runningMs = this.#timer === undefined ? 0 : performance.now() - this.#startedAt;
    return Math.max(0, this.#leftMs - runningMs);
  }

  /** Whether it is paused. */
  get isHeld(): boolean {
    return this.#holders.size > 0;
  }

  /** Starts the time, unless it is held. */
  start(): void {
    if (this.isHeld) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onEnd, this.#leftMs);
  }

  /**
   * Pauses the time until this holder, and every other one, releases it. Returns false if the clock
   * was stopped.
   */
  hold(holder: string): boolean {
    if (this.#isOver) return false;
    this.#pause();
    this.#holders.add(holder);
    return true;
  }

  /**
   * Releases the clock, which continues if no other holder holds it. Returns false if this holder
   * did not hold it or the clock was stopped.
   */
  letGo(holder: string): boolean {
    if (this.#isOver || !this.#holders.delete(holder)) return false;
    this.start();
    return true;
  }

  /** Stops the clock permanently: `onEnd` is not called any more. */
  stop(): void {
    this.#isOver = true;
    this.#pause();
  }

  #pause(): void {
    this.#leftMs = this.leftMs;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

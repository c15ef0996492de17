/** The time limit of a run, which does not count while somebody holds it. */
export class RunClock {
  readonly #onEnd: () => void;
  readonly #holders: Set<string> = new Set();
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param onEnd - Hears when the time is up. */
  constructor(limitMs: number, onEnd: () => void) {
    this.#leftMs = limitMs;
    this.#onEnd = onEnd;
  }

  /** What is left of the limit. */
  get leftMs(): number {
    const runningMs = this.#timer === undefined ? 0 : performance.now() - this.#startedAt;
    return Math.max(0, this.#leftMs - runningMs);
  }

  /** Whether anybody holds it. */
  get isHeld(): boolean {
    return this.#holders.size > 0;
  }

  /** Has the time count from now on. */
  start(): void {
    if (this.isHeld) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onEnd, this.#leftMs);
  }

  /** Has no time count until this holder, and any other, lets go; false where it has ended. */
  hold(holder: string): boolean {
    if (this.#isOver) return false;
    this.#pause();
    this.#holders.add(holder);
    return true;
  }

  /** Has the rest of the time count, unless somebody else holds it; false where this holder did not, or it has ended. */
  letGo(holder: string): boolean {
    if (this.#isOver || !this.#holders.delete(holder)) return false;
    this.start();
    return true;
  }

  /** Ends it for good: the time is never up. */
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

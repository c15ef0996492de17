/** Limits how many pieces of work are done at a time. Each `take` needs a `release`. */
export class Semaphore {
  #free: number;
  /** In order of arrival. */
  readonly #waiting: Set<() => void> = new Set();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Takes a permit at once and returns undefined, or returns a promise that settles when it is the
   * caller's turn.
   * @param signal - If it fires first, the promise resolves with false and the caller has no
   * permit.
   */
  take(signal?: AbortSignal): Promise<boolean> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise((resolve) => {
      const settle = (hasPermit: boolean): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve(hasPermit);
      };
      const enter = (): void => settle(true);
      const giveUp = (): void => {
        this.#waiting.delete(enter);
        settle(false);
      };
      if (signal?.aborted === true) return resolve(false);
      this.#waiting.add(enter);
      signal?.addEventListener('abort', giveUp);
    });
  }

  /**
   * Passes the permit directly to the caller that has waited longest, so that no other caller can
   * take it in between.
   */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

/**
 * The permit of one piece of work, which can release it while it waits for something else, and take
 * one again.
 */
export class Permit {
  readonly #semaphore: Semaphore;
  #isTaken = false;

  constructor(semaphore: Semaphore) {
    this.#semaphore = semaphore;
  }

  /** Like `Semaphore.take`. Returns undefined as well if this already has a permit. */
  take(signal?: AbortSignal): Promise<boolean> | undefined {
    if (this.#isTaken) return undefined;
    const turn = this.#semaphore.take(signal);
    this.#isTaken = turn === undefined;
    return turn?.then((isTaken) => (this.#isTaken = isTaken));
  }

  release(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#semaphore.release();
  }
}

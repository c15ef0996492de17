/** A bound on how much of one kind of work is done at a time. Whoever takes a place must leave it. */
export class Places {
  #free: number;
  /** In the order in which they came. */
  readonly #waiting: Set<() => void> = new Set();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Takes a place at once, or gives a promise that settles when it is the caller's turn.
   * @param signal - If it fires first, the promise gives false and the caller has no place.
   */
  take(signal?: AbortSignal): Promise<boolean> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise((resolve) => {
      const settle = (hasPlace: boolean): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve(hasPlace);
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

  /** Passes the place to whoever waits longest, directly, so that nobody else can take it in between. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

/** The place of one piece of work, which may leave it while it waits for something else, and take one again. */
export class Place {
  readonly #places: Places;
  #isTaken = false;

  constructor(places: Places) {
    this.#places = places;
  }

  /** As that of the places; undefined also if it has one. */
  take(signal?: AbortSignal): Promise<boolean> | undefined {
    if (this.#isTaken) return undefined;
    const turn = this.#places.take(signal);
    this.#isTaken = turn === undefined;
    return turn?.then((isTaken) => (this.#isTaken = isTaken));
  }

  leave(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#places.leave();
  }
}

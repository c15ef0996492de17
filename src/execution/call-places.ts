/** The places for tool calls of one run that are worked on at a time. Who takes one must leave it. */
export class CallPlaces {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a place; where none is free, what it gives settles when it is one's turn. */
  take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return undefined;
  }

  /** Gives a place to who waits longest: from hand to hand, so that nobody comes in between. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** The places for tool calls of one run that are worked on at a time. */
export class CallPlaces {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a place, behind those that wait already, and keeps it while the work is done. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // A place passes from hand to hand, so that nobody comes in between.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

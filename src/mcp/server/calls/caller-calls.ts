/** How many sessions, connections, and calls that have not ended one caller has at most. */
export const MAX_OF_CALLER = 100;

/** Counts what each caller has begun that has not ended, such as its calls on all connections. */
export class CallerCalls {
  readonly #counts: Map<string, number> = new Map();
  readonly #limit: number;

  constructor(limit: number = MAX_OF_CALLER) {
    this.#limit = limit;
  }

  /** Whether the caller may begin another one. */
  hasRoom(caller: string): boolean {
    return (this.#counts.get(caller) ?? 0) < this.#limit;
  }

  /** Notes that one begins. @returns what notes its end. */
  begin(caller: string): () => void {
    this.#add(caller, 1);
    return () => this.#add(caller, -1);
  }

  #add(caller: string, difference: number): void {
    const count = (this.#counts.get(caller) ?? 0) + difference;
    if (count === 0) this.#counts.delete(caller);
    else this.#counts.set(caller, count);
  }
}

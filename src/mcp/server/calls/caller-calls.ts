/** How many sessions, connections, and calls that have not ended one caller has at most. */
export const MAX_OF_CALLER = 100;

/** Counts the calls of each caller that run or wait for an answer, on all connections. */
export class CallerCalls {
  readonly #counts: Map<string, number> = new Map();

  /** Whether the caller may begin another call. */
  hasRoom(caller: string): boolean {
    return (this.#counts.get(caller) ?? 0) < MAX_OF_CALLER;
  }

  /** Notes that a call begins. @returns what notes its end. */
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

/** How many calls a program may defer: as many as it may make by default. */
export const MOST_DEFERRED_CALLS = 1000;

/** The size of the calls together, as they were sent. An approver gets as much in one request. */
export const MOST_DEFERRED_BYTES: number = 1024 * 1024;

/** Counts the calls that a program defers, because the host keeps them until it has ended. */
export class Deferrals {
  #calls = 0;
  #bytes = 0;

  /**
   * Takes a place for a call.
   * @param bytes - Its size as it was sent.
   * @returns the number of its receipt; undefined if the program may not defer it.
   */
  take(bytes: number): number | undefined {
    if (this.#calls >= MOST_DEFERRED_CALLS || this.#bytes + bytes > MOST_DEFERRED_BYTES) {
      return undefined;
    }
    this.#calls += 1;
    this.#bytes += bytes;
    return this.#calls;
  }
}

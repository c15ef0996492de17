/**
 * The calls of a program that are being handled, each with a function that ends the work if the
 * program gives the call up.
 */
export class OpenCalls {
  readonly #endings: Map<string, () => void> = new Map();
  readonly #givenUp: Set<string> = new Set();

  /** The program no longer waits for a call, whose handling may not have begun. */
  giveUp(callId: string): void {
    this.#givenUp.add(callId);
    this.#endings.get(callId)?.();
  }

  /** Whether the program no longer waits for a call. */
  isGivenUp(callId: string): boolean {
    return this.#givenUp.has(callId);
  }

  /**
   * Handling of a call begins. `end` is called when the program gives the call up, or at once if it
   * already has.
   */
  enter(callId: string, end: () => void): void {
    this.#endings.set(callId, end);
    if (this.#givenUp.has(callId)) end();
  }

  /** Handling of a call has ended. */
  leave(callId: string): void {
    this.#endings.delete(callId);
  }
}

/** The calls of a run that are being worked on, each with what ends the work when its program gives it up. */
export class OpenCalls {
  readonly #endings: Map<string, () => void> = new Map();
  readonly #givenUp: Set<string> = new Set();

  /** The program no longer waits for a call, which may not have been begun. */
  giveUp(callId: string): void {
    this.#givenUp.add(callId);
    this.#endings.get(callId)?.();
  }

  /** Work on a call begins; `end` is called when its program gives it up, now where it has. */
  enter(callId: string, end: () => void): void {
    this.#endings.set(callId, end);
    if (this.#givenUp.has(callId)) end();
  }

  /** The work is done. */
  leave(callId: string): void {
    this.#endings.delete(callId);
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest that one piece of work holds the event loop at a stretch. */
const TURN_MS = 5;

/** Lets the event loop do other work between the steps of long work. */
export class LoopPauses {
  #beganAt: number = performance.now();

  /** Call it before each step. If it returns a promise, wait for it. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#beganAt < TURN_MS ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#beganAt = performance.now();
  }
}

import { types } from 'node:util';
import { guardedListener } from './guarded-listener.ts';

/**
 * A listener that may be slower than what it hears of: if it returns a promise, it has not taken
 * its event yet. Its errors become warnings of the process.
 */
export class PacedListener<Event> {
  readonly #tell: (event: Event) => void;
  #taken: Promise<unknown> | undefined;

  /** @param listener - If it is undefined, nobody listens. */
  constructor(listener: ((event: Event) => unknown) | undefined) {
    this.#tell = guardedListener((event) => {
      const result = listener?.(event);
      if (types.isPromise(result)) this.#waitFor(result);
      return result;
    });
  }

  /** Never throws. */
  tell(event: Event): void {
    this.#tell(event);
  }

  /** Settles when the listener has taken all its events, and never rejects. Undefined if it has. */
  get taken(): Promise<unknown> | undefined {
    return this.#taken;
  }

  #waitFor(event: Promise<unknown>): void {
    const all = Promise.allSettled([this.#taken, event]).finally(() => {
      if (this.#taken === all) this.#taken = undefined;
    });
    this.#taken = all;
  }
}

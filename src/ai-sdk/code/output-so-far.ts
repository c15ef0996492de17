import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';

/** The longest output that is shown while a program runs, in characters. */
const MAX_LENGTH = 50_000;

/**
 * Collects the output of a running program, whose preliminary results each have all of it. A new one
 * is due when the output has grown by an eighth: so all of them together have at most nine times as
 * much text as the last one.
 */
export class OutputSoFar {
  #text = '';
  #shownLength = 0;
  #due: Deferred<undefined> = createDeferred();

  get text(): string {
    return this.#text;
  }

  /** Resolves when a preliminary result is due. */
  get due(): Promise<undefined> {
    return this.#due.promise;
  }

  add(text: string): void {
    this.#text += text.slice(0, MAX_LENGTH - this.#text.length);
    if (this.#text.length > this.#shownLength * 1.125) this.#due.resolve(undefined);
  }

  /** The output, which counts as shown. */
  take(): string {
    this.#shownLength = this.#text.length;
    this.#due = createDeferred();
    return this.#text;
  }
}

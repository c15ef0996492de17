import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';

/** Nobody's work depends on the answer. */
const ANSWER_MS = 3000;

/** One question at a time, whose answer goes to all who ask meanwhile. */
export class MemoryQuestion {
  #waiting: Deferred<number | undefined> | undefined;
  #late: NodeJS.Timeout | undefined;

  /** @param send - Sends the question. @returns undefined if no answer comes in time. */
  async ask(send: () => void): Promise<number | undefined> {
    if (this.#waiting !== undefined) return this.#waiting.promise;
    const { promise } = (this.#waiting = createDeferred());
    this.#late = setTimeout(() => this.answer(undefined), ANSWER_MS).unref();
    send();
    return promise;
  }

  /** Takes an answer. One that nobody waits for any more changes nothing. */
  answer(bytes: number | undefined): void {
    clearTimeout(this.#late);
    this.#waiting?.resolve(bytes);
    this.#waiting = undefined;
  }
}

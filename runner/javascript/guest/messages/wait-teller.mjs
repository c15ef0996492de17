/**
 * Tells the host that a program waits: nothing in it can go on before a tool call is answered or a timer
 * fires.
 */

import { encode, WAITING } from './frames.mjs';

export class WaitTeller {
  #platform;
  /** Undefined if the host does not want to know. */
  #executionId;
  #openCalls = 0;
  #results = 0;
  /** Whether something happened since the host was told last. */
  #isDue = false;

  /** @param {import('../platform.d.ts').WaitingPlatform} platform */
  constructor(platform) {
    this.#platform = platform;
  }

  /** Begins a program. */
  start(executionId, isAsked) {
    this.#executionId = isAsked ? executionId : undefined;
    this.#results = 0;
    this.#isDue = false;
  }

  /** The program has ended. */
  end() {
    this.#executionId = undefined;
  }

  /** The program has made a call. */
  onCall(openCalls) {
    if (this.#executionId === undefined) return;
    this.#openCalls = openCalls;
    this.#isDue = true;
    this.#platform.afterJobs();
  }

  /** The result of a call has arrived. */
  onResult(openCalls) {
    this.#results += 1;
    this.onCall(openCalls);
  }

  /** Must be called when all jobs of promises are done. */
  tell() {
    if (!this.#isDue || this.#openCalls === 0 || this.#executionId === undefined) return;
    const certain = this.#platform.waits();
    if (certain === undefined) return;
    this.#isDue = false;
    this.#platform.send(
      encode(WAITING, {
        // Otherwise the object would inherit a `toJSON` that a program may have defined.
        __proto__: null,
        execution_id: this.#executionId,
        results: this.#results,
        certain,
      }),
    );
  }
}

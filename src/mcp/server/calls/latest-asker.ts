import { unlessAborted } from '../../../shared/async/abort.ts';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import type { ApproveFunction } from '../../../tools/policy/approval.ts';

/**
 * Asks the user about the calls of a program that may outlast the call of `execute_code` that started
 * it: in the latest call that waits for the program, or in the next one if none does.
 */
export class LatestAsker {
  readonly #waiting: Set<ApproveFunction> = new Set();
  #next: Deferred<void> = createDeferred();

  /** A call waits for the program. @returns a function for the moment in which it no longer does. */
  attach(ask: ApproveFunction): () => void {
    this.#waiting.add(ask);
    this.#next.resolve();
    this.#next = createDeferred();
    return () => this.#waiting.delete(ask);
  }

  readonly ask: ApproveFunction = async (request, options) => {
    for (;;) {
      const latest = [...this.#waiting].at(-1);
      if (latest !== undefined) return latest(request, options);
      await unlessAborted(this.#next.promise, options.signal, 'The wait for a decision');
    }
  };
}

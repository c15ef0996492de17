import { untilAborted } from '../../../shared/async/abort.ts';
import { AnySignal } from '../../../shared/async/any-signal.ts';

/** At a time. */
const MAXIMUM_REQUESTS = 10;

/**
 * The calls that run at a server, and what the server asks for meanwhile. In the revisions of 2025,
 * a request does not say for which call it is.
 */
export class RunningCalls {
  #calls = 0;
  #requests = 0;
  /** Made with the first request of the server: most calls are never asked anything. */
  #end: AbortController | undefined;

  /** Does the work of a call. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#calls += 1;
    try {
      return await work();
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) this.#endRequests();
    }
  }

  /**
   * Answers a request of the server.
   * @param signal - Fires if the server withdraws it.
   * @param answer - Gets a signal that fires if no call waits for the answer any more, too.
   * @returns undefined if the server may not ask now, or nothing waits for the answer any more.
   */
  async answer<Result>(
    signal: AbortSignal,
    answer: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.#calls === 0 || this.#requests === MAXIMUM_REQUESTS) return undefined;
    this.#requests += 1;
    this.#end ??= new AbortController();
    using either = new AnySignal(signal, this.#end.signal);
    try {
      const answered = answer(either.signal);
      await untilAborted(answered, either.signal);
      return either.signal.aborted ? undefined : await answered;
    } finally {
      this.#requests -= 1;
    }
  }

  #endRequests(): void {
    this.#end?.abort(new Error('No call waits for the answer any more.'));
    this.#end = undefined;
  }
}

import { throwIfAborted, unlessAborted } from './abort.ts';

interface Attempt<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  waiting: number;
  settled: boolean;
  value?: Result;
}

/**
 * Work that is done once for all callers that need it, such as building an image. A failure is
 * forgotten, so that the next caller tries again. Work that no caller waits for any more is
 * aborted.
 */
export class SharedTask<Result> {
  readonly #work: (signal: AbortSignal) => Promise<Result>;
  #attempt: Attempt<Result> | undefined;

  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.#work = work;
  }

  /** @throws PtcError `ABORTED` if `signal` fires, and what the work throws. */
  async result(signal: AbortSignal | undefined): Promise<Result> {
    throwIfAborted(signal);
    const attempt = (this.#attempt ??= this.#start());
    attempt.waiting += 1;
    try {
      return await unlessAborted(attempt.result, signal);
    } finally {
      attempt.waiting -= 1;
      if (attempt.waiting === 0 && !attempt.settled) {
        attempt.controller.abort();
        this.#forget(attempt);
      }
    }
  }

  /** Forgets the result, whatever it is: the next caller starts the work again. */
  forget(): void {
    this.#attempt = undefined;
  }

  /**
   * As `forget`, but only if this is the result, so that several callers who find it outdated start the
   * work once.
   */
  forgetResult(result: Result): void {
    if (this.#attempt?.settled && this.#attempt.value === result) this.#attempt = undefined;
  }

  #start(): Attempt<Result> {
    const controller = new AbortController();
    const result = this.#work(controller.signal);
    const attempt: Attempt<Result> = { result, controller, waiting: 0, settled: false };
    result.then(
      (value) => Object.assign(attempt, { settled: true, value }),
      () => {
        attempt.settled = true;
        this.#forget(attempt);
      },
    );
    return attempt;
  }

  #forget(attempt: Attempt<Result>): void {
    if (this.#attempt === attempt) this.#attempt = undefined;
  }
}

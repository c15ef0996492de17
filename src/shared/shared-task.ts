import { throwIfAborted, unlessAborted } from './abort.ts';

interface Run<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  waiting: number;
  settled: boolean;
}

/**
 * Work that is done once for all who need it, such as building an image. A failure is forgotten,
 * so that the next caller tries again; work that nobody waits for any more is cut off.
 */
export class SharedTask<Result> {
  readonly #work: (signal: AbortSignal) => Promise<Result>;
  #run: Run<Result> | undefined;

  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.#work = work;
  }

  /** @throws PtcError `ABORTED` when `signal` fires, and whatever the work throws. */
  async result(signal: AbortSignal | undefined): Promise<Result> {
    throwIfAborted(signal);
    const run = (this.#run ??= this.#start());
    run.waiting += 1;
    try {
      return await unlessAborted(run.result, signal);
    } finally {
      run.waiting -= 1;
      if (run.waiting === 0 && !run.settled) {
        run.controller.abort();
        this.#forget(run);
      }
    }
  }

  /** Does the work anew for whoever asks next. */
  forget(): void {
    this.#run = undefined;
  }

  #start(): Run<Result> {
    const controller = new AbortController();
    const result = this.#work(controller.signal);
    const run: Run<Result> = { result, controller, waiting: 0, settled: false };
    result.then(
      () => (run.settled = true),
      () => {
        run.settled = true;
        this.#forget(run);
      },
    );
    return run;
  }

  #forget(run: Run<Result>): void {
    if (this.#run === run) this.#run = undefined;
  }
}

import PQueue from 'p-queue';
import { onAbort } from './on-abort.ts';

/** Does work in the order in which it was added: one piece begins when the one before it ended. */
export class SerialQueue {
  readonly #queue: PQueue = new PQueue({ concurrency: 1 });

  /** Whether some work has begun and not ended. */
  get isWorking(): boolean {
    return this.#queue.pending > 0;
  }

  /** Whether work waits for other work to end. */
  get hasWaiting(): boolean {
    return this.#queue.size > 0;
  }

  /**
   * Does work when the queue reaches it. The signal ends only the wait for the queue. The work must
   * handle the signal itself.
   * @throws the signal's reason if it fires before the work begins, and what the work throws.
   */
  async add<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (signal === undefined) return this.#queue.add(work);
    // The queue would apply a signal to work that has already begun, so it gets one of its own.
    const waiting = new AbortController();
    const giveUp = (): void => waiting.abort(signal.reason);
    const stopListening = onAbort(signal, giveUp);
    const begin = async (): Promise<Result> => {
      stopListening();
      return work();
    };
    if (signal.aborted) giveUp();
    try {
      return await this.#queue.add(begin, { signal: waiting.signal });
    } finally {
      stopListening();
    }
  }

  /** Resolves when the queue is empty and nothing runs. */
  async onIdle(): Promise<void> {
    await this.#queue.onIdle();
  }
}

import PQueue from 'p-queue';
import { checkSignal } from '../sessions/executor-options.ts';
import { PtcError } from '../shared/errors.ts';
import { runQueued } from '../shared/async/queued-work.ts';

/** Runs the runs of a conversation, and its other changes, one after the other. */
export class RunQueue {
  readonly #queue: PQueue = new PQueue({ concurrency: 1 });

  /**
   * Queues work. The signal aborts only the wait in the queue; the work itself handles it
   * afterwards.
   * @throws PtcError `ABORTED` if the signal fires during the wait, `OPTION_INVALID` for an invalid
   *   signal, and what the work throws.
   */
  async add<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    checkSignal(signal);
    let hasBegun = false;
    const begin = async (): Promise<Result> => {
      hasBegun = true;
      return work();
    };
    try {
      return await runQueued(this.#queue, begin, { signal });
    } catch (cause) {
      if (hasBegun) throw cause;
      throw new PtcError('ABORTED', 'The run was aborted before it began.', { cause });
    }
  }

  /** Resolves when the queue is empty and nothing runs. */
  async onIdle(): Promise<void> {
    await this.#queue.onIdle();
  }
}

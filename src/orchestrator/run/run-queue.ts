import { PtcError } from '../../shared/errors.ts';
import { checkSignal } from '../../shared/options/option-values.ts';
import { SerialQueue } from '../../shared/async/serial-queue.ts';

/** Runs the runs of a conversation, and its other changes, one after the other. */
export class RunQueue {
  readonly #queue: SerialQueue = new SerialQueue();

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
      return await this.#queue.add(begin, signal);
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

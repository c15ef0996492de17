import PQueue from 'p-queue';
import { checkSignal } from '../sessions/executor-options.ts';
import { PtcError } from '../shared/errors.ts';
import { inTurn } from '../shared/turn.ts';

/** The runs of a conversation, and what else changes it: one after the other. */
export class RunQueue {
  readonly #queue: PQueue = new PQueue({ concurrency: 1 });

  /**
   * Does work in its turn. The signal ends the waiting for the turn, and is the work's own affair afterwards.
   * @throws PtcError `ABORTED` if the signal fires before the turn, `OPTION_INVALID` for one that is not a signal, and what
   * the work throws.
   */
  async add<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    checkSignal(signal);
    let hasBegun = false;
    const begin = async (): Promise<Result> => {
      hasBegun = true;
      return work();
    };
    try {
      return await inTurn(this.#queue, begin, { signal });
    } catch (cause) {
      if (hasBegun) throw cause;
      throw new PtcError('ABORTED', 'The run was aborted before it began.', { cause });
    }
  }

  /** Returns when all of it is done. */
  async onIdle(): Promise<void> {
    await this.#queue.onIdle();
  }
}

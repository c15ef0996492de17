import { SerialQueue } from '../shared/async/serial-queue.ts';
import { PtcError } from '../shared/errors.ts';
import { abortedBeforeStart } from './executor-errors.ts';

/** Runs programs in the order in which they were added, each when the one before it ended. */
export class ProgramQueue extends SerialQueue {
  /**
   * As `SerialQueue.add`. A caller that aborts while its program waits need not know the error of
   * the wait.
   * @throws PtcError `ABORTED` if the signal fires before the work begins, and what the work throws.
   */
  override async add<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    try {
      return await super.add(work, signal);
    } catch (error) {
      if (signal?.aborted !== true || PtcError.isInstance(error)) throw error;
      throw abortedBeforeStart(signal.reason);
    }
  }
}

import { onCallAbort } from '../../../tools/call-abort.ts';
import type { ToolContext } from '../../../tools/tool.ts';

/** How many signals wait for calls. */
const MOST_FREE = 10;

/**
 * The signals of the calls of one connection. To make one takes as long as the official client takes for
 * all of a call, so the next call gets that of one that has ended, unless it has fired.
 */
export class CallSignals {
  readonly #free: AbortController[] = [];

  /**
   * Does the work of a call.
   * @param work - Must not keep the signal when it has ended.
   */
  async during<Result>(
    context: ToolContext,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = this.#free.pop() ?? new AbortController();
    const stopListening = onCallAbort(context, (reason) => controller.abort(reason));
    try {
      return await work(controller.signal);
    } finally {
      stopListening();
      const isUsable = !controller.signal.aborted && this.#free.length < MOST_FREE;
      if (isUsable) this.#free.push(controller);
    }
  }
}

import { unlessAborted } from '../../../shared/async/abort.ts';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import type { ApproveFunction } from '../../../tools/policy/approval.ts';
import type { CallClient } from './call-client.ts';

/** What a call that waits for a program does for it. */
interface Waiting extends Pick<CallClient, 'onToolCall'> {
  readonly approver: ApproveFunction;
}

/**
 * The latest call that waits for a program, which may outlast the call of `execute_code` that started it.
 * That call asks the user about the program's calls, or the next one does if none waits. It is told
 * of each of them.
 */
export class LatestCall {
  readonly #waiting: Set<Waiting> = new Set();
  #next: Deferred<void> = createDeferred();

  /** A call waits for the program. @returns a function for the moment in which it no longer does. */
  attach(call: Waiting): () => void {
    this.#waiting.add(call);
    this.#next.resolve();
    this.#next = createDeferred();
    return () => this.#waiting.delete(call);
  }

  /** It, whichever it is when something is to be asked or told. */
  get client(): Waiting {
    return {
      approver: this.#ask,
      onToolCall: (toolName) => this.#latest?.onToolCall(toolName),
    };
  }

  readonly #ask: ApproveFunction = async (request, options) => {
    for (;;) {
      const latest = this.#latest;
      if (latest !== undefined) return latest.approver(request, options);
      await unlessAborted(this.#next.promise, options.signal, 'The wait for a decision');
    }
  };

  get #latest(): Waiting | undefined {
    return [...this.#waiting].at(-1);
  }
}

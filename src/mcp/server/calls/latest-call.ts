import { unlessAborted } from '../../../shared/async/abort.ts';
import { AnySignal } from '../../../shared/async/any-signal.ts';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import type { ApproveFunction } from '../../../tools/policy/approval.ts';
import type { CallClient } from './call-client.ts';

/** What a call that waits for a program does for it. */
interface Waiting extends Pick<CallClient, 'onToolCall'> {
  readonly approver: ApproveFunction;
  /** Fires when the user can no longer be asked in this call. */
  readonly withdrawn: AbortSignal;
}

/**
 * The latest call that waits for a program, which may outlast the call of `execute_code` that started it.
 * That call asks the user about the program's calls, or the next one does if none waits. Another call
 * asks again if a call was stopped, or ended, before its user could answer. The latest call is told of
 * each of the program's calls.
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
  get client(): Pick<Waiting, 'approver' | 'onToolCall'> {
    return {
      approver: this.#ask,
      onToolCall: (toolName) => this.#latest?.onToolCall(toolName),
    };
  }

  readonly #ask: ApproveFunction = async (request, { signal }) => {
    for (;;) {
      const latest = this.#latest;
      if (latest === undefined) {
        await unlessAborted(this.#next.promise, signal, 'The wait for a decision');
        continue;
      }
      const { approver, withdrawn } = latest;
      const isFinal = (): boolean => signal.aborted || !withdrawn.aborted;
      using either = new AnySignal(signal, withdrawn);
      try {
        const approval = await approver(request, { signal: either.signal });
        if (isFinal()) return approval;
      } catch (error) {
        if (isFinal()) throw error;
      }
    }
  };

  get #latest(): Waiting | undefined {
    return [...this.#waiting].findLast(({ withdrawn }) => !withdrawn.aborted);
  }
}

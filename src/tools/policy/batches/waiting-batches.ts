import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import { onAbort } from '../../../shared/async/on-abort.ts';
import { PtcError } from '../../../shared/errors.ts';
import { checkOptionNames } from '../../../shared/options/option-names.ts';
import { showValue } from '../../../shared/show-value.ts';
import {
  DECIDE_BATCH_OPTIONS,
  type ApprovalBatch,
  type AskBatchOptions,
  type BatchDecision,
  type DecideBatchOptions,
} from './approval-batch.ts';

/** How a batch left the queue: somebody decided it, or its time or its program ended. */
type Leave = 'decided' | 'ended';

interface Waiting {
  readonly batch: ApprovalBatch;
  readonly check: AskBatchOptions['check'];
  readonly answer: Deferred<BatchDecision>;
}

/** How many of the batches that left are known, to say what became of them. */
const MOST_KNOWN = 1000;

/** The batches of a queue that wait for a decision. */
export class WaitingBatches {
  readonly #waiting: Map<string, Waiting> = new Map();
  readonly #left: Map<string, Leave> = new Map();

  /** The oldest first. */
  get list(): readonly ApprovalBatch[] {
    return [...this.#waiting.values()].map(({ batch }) => batch);
  }

  /** @throws PtcError as `ApprovalQueue.decideBatch`. */
  decide(
    id: string,
    decisions: Pick<BatchDecision, 'calls' | 'others'>,
    options: DecideBatchOptions,
  ): void {
    checkOptionNames(options, DECIDE_BATCH_OPTIONS);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw notOpen(id, this.#left.get(id));
    const decision = { ...decisions, ...options };
    waiting.check(decision);
    this.#leave(id, 'decided');
    waiting.answer.resolve(decision);
  }

  /** Waits for the decision. Resolves with a rejection if the decision is not needed any more. */
  async ask(
    batch: ApprovalBatch,
    { signal, check }: AskBatchOptions,
    onAsk: () => void,
  ): Promise<BatchDecision> {
    const { id } = batch;
    const answer = createDeferred<BatchDecision>();
    this.#waiting.set(id, { batch, check, answer });
    const onEnd = (): void => {
      if (!this.#waiting.has(id)) return;
      this.#leave(id, 'ended');
      answer.resolve({
        others: { approved: false, reason: 'nobody waits for these calls any more' },
      });
    };
    const stopListening = onAbort(signal, onEnd);
    if (signal.aborted) onEnd();
    else onAsk();
    try {
      return await answer.promise;
    } finally {
      stopListening();
    }
  }

  #leave(id: string, how: Leave): void {
    this.#waiting.delete(id);
    this.#left.set(id, how);
    const [oldest] = this.#left.keys();
    if (this.#left.size > MOST_KNOWN && oldest !== undefined) this.#left.delete(oldest);
  }
}

const WHY: Readonly<Record<Leave, string>> = {
  decided: 'it was decided already',
  ended: 'it expired, or its program does not wait for it any more',
};

function notOpen(id: string, left: Leave | undefined): PtcError {
  const why = left === undefined ? 'this queue has no such batch' : WHY[left];
  const message = `The batch ${showValue(id)} cannot be decided: ${why}. pendingBatches lists those that wait.`;
  return new PtcError('APPROVAL_NOT_OPEN', message, { details: { id, state: left ?? 'unknown' } });
}

import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { guardedListener } from '../../shared/listeners/guarded-listener.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { readApproval, type Approval } from './approval.ts';
import type { ApprovalRequest } from './approval-request.ts';
import type {
  ApprovalBatch,
  AskBatchOptions,
  BatchDecision,
  DecideBatchOptions,
} from './batches/approval-batch.ts';
import { WaitingBatches } from './batches/waiting-batches.ts';
import type { ApprovalGrant } from './grants/grant.ts';

export interface ApprovalQueueOptions {
  /** Called with each request when it can be decided. */
  readonly onRequest?: (request: ApprovalRequest) => void;
  /** Called with each batch when it can be decided. */
  readonly onBatch?: (batch: ApprovalBatch) => void;
}

const PAGE = 'docs/policy.md';

export const QUEUE_OPTIONS: OptionsObject<ApprovalQueueOptions> = {
  of: 'ApprovalQueue',
  names: { onRequest: 'function', onBatch: 'function' },
  page: PAGE,
};

/** What else is decided with the approval of a call. */
export interface ApproveOptions {
  /** The arguments to use instead, as `Approval.arguments`. @default the original arguments */
  readonly arguments?: unknown;
  /** Approves further calls of this tool in advance. @default they ask too */
  readonly grant?: ApprovalGrant;
}

export const APPROVE_OPTIONS: OptionsObject<ApproveOptions> = {
  of: 'approve',
  names: { arguments: true, grant: 'plain' },
  page: PAGE,
  otherWords: { args: 'arguments' },
};

export const REJECT_OPTIONS: OptionsObject<{ readonly reason: string }> = {
  of: 'reject',
  names: { reason: 'text' },
  page: PAGE,
  otherWords: { message: 'reason' },
  required: ['reason'],
};

interface Waiting {
  readonly request: ApprovalRequest;
  readonly answer: Deferred<Approval>;
}

/**
 * An approver for people who decide elsewhere, such as on a web page. Requests wait in the queue
 * until they are decided by their id. Only the first decision counts.
 */
export class ApprovalQueue {
  readonly #waiting: Map<string, Waiting> = new Map();
  readonly #batches: WaitingBatches = new WaitingBatches();
  readonly #onRequest: (request: ApprovalRequest) => void;
  readonly #onBatch: (batch: ApprovalBatch) => void;

  /** @throws PtcError `OPTION_INVALID` for a name that the options do not have. */
  constructor(options: ApprovalQueueOptions = {}) {
    checkOptionNames(options, QUEUE_OPTIONS);
    const { onRequest = () => {}, onBatch = () => {} } = options;
    this.#onRequest = guardedListener(onRequest);
    this.#onBatch = guardedListener(onBatch);
  }

  /**
   * The requests that wait for a decision, oldest first. A request leaves the queue when it expires
   * or its program ends.
   */
  get pending(): readonly ApprovalRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /**
   * Approves a call, with other arguments if they are given. They are validated like the original
   * ones. Returns false if it no longer waits: it was decided, expired or cancelled, or
   * it never existed.
   * @throws PtcError `OPTION_INVALID` for a name that the options do not have, or a grant that is not
   *   valid for the call. The call still waits.
   */
  approve(id: string, options: ApproveOptions = {}): boolean {
    // Otherwise a misspelt name would approve the original arguments.
    checkOptionNames(options, APPROVE_OPTIONS);
    const approval = { approved: true, ...options } as const;
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      readApproval(approval, waiting.request, waiting.request.arguments);
    }
    return this.#decide(id, approval);
  }

  /**
   * Rejects a call, with a reason that the model reads. Returns false in the cases in which
   * `approve` does.
   * @throws PtcError `OPTION_INVALID` for a name that the options do not have, or without a reason.
   *   The call still waits.
   */
  reject(id: string, options: { readonly reason: string }): boolean {
    checkOptionNames(options, REJECT_OPTIONS);
    return this.#decide(id, { approved: false, reason: options.reason });
  }

  /**
   * The batches that wait for a decision, oldest first. A batch leaves the queue when it expires, or its
   * program ends or gives up all of its calls.
   */
  get pendingBatches(): readonly ApprovalBatch[] {
    return this.#batches.list;
  }

  /**
   * Decides the calls of a batch, all at once. The first decision counts.
   * @param decisions - `calls` by the ids of their requests, and `others` for the rest of the batch.
   * @throws PtcError `APPROVAL_NOT_OPEN` if the batch was decided, expired or cancelled, or never
   *   existed; `OPTION_INVALID` if the decisions leave a call out, name one of another batch, or have
   *   arguments that the tool or the rules refuse, or the grant is not valid for the calls that are
   *   approved, or covers none of them that still waits. The batch still waits then.
   */
  decideBatch(
    id: string,
    decisions: Pick<BatchDecision, 'calls' | 'others'>,
    options: DecideBatchOptions = {},
  ): void {
    this.#batches.decide(id, decisions, options);
  }

  /** Called by the policy. */
  async askBatch(batch: ApprovalBatch, options: AskBatchOptions): Promise<BatchDecision> {
    return this.#batches.ask(batch, options, () => this.#onBatch(batch));
  }

  /** Called by the policy. */
  async ask(
    request: ApprovalRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Approval> {
    const answer = createDeferred<Approval>();
    const onAbort = (): void => {
      this.#decide(request.id, { approved: false, reason: 'nobody waits for this call any more' });
    };
    this.#waiting.set(request.id, { request, answer });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else this.#onRequest(request);
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #decide(id: string, approval: Approval): boolean {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.answer.resolve(approval);
    return waiting !== undefined;
  }
}

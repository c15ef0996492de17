import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { guardedListener } from '../../shared/listeners/guarded-listener.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import type { Approval, ApprovalRequest } from './approval.ts';

export interface ApprovalQueueOptions {
  /** Called with each request when it can be decided. */
  readonly onRequest?: (request: ApprovalRequest) => void;
}

const PAGE = 'docs/policy.md';

export const QUEUE_OPTIONS: OptionsObject<ApprovalQueueOptions> = {
  of: 'ApprovalQueue',
  names: { onRequest: 'function' },
  page: PAGE,
};

export const APPROVE_OPTIONS: OptionsObject<{ readonly arguments?: unknown }> = {
  of: 'approve',
  names: { arguments: true },
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
  readonly #onRequest: (request: ApprovalRequest) => void;

  /** @throws PtcError `OPTION_INVALID` for a name that the options do not have. */
  constructor(options: ApprovalQueueOptions = {}) {
    checkOptionNames(options, QUEUE_OPTIONS);
    const { onRequest = () => {} } = options;
    this.#onRequest = guardedListener(onRequest);
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
   * @throws PtcError `OPTION_INVALID` for a name that the options do not have. The call still waits.
   */
  approve(id: string, options: { readonly arguments?: unknown } = {}): boolean {
    // Otherwise a misspelt name would approve the original arguments.
    checkOptionNames(options, APPROVE_OPTIONS);
    return this.#decide(id, { approved: true, ...options });
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

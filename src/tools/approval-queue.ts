import { createDeferred, type Deferred } from '../shared/deferred.ts';
import { guardedListener } from '../shared/guarded-listener.ts';
import type { Approval, ApprovalRequest } from './approval.ts';

export interface ApprovalQueueOptions {
  /** Hears of each request once it can be decided. */
  readonly onRequest?: (request: ApprovalRequest) => void;
}

interface Waiting {
  readonly request: ApprovalRequest;
  readonly answer: Deferred<Approval>;
}

/**
 * An approver for people who decide elsewhere, such as on a web page: requests wait in it until
 * somebody decides them by their id. Of several decisions the first counts.
 */
export class ApprovalQueue {
  readonly #waiting: Map<string, Waiting> = new Map();
  readonly #onRequest: (request: ApprovalRequest) => void;

  constructor({ onRequest = () => {} }: ApprovalQueueOptions = {}) {
    this.#onRequest = guardedListener(onRequest);
  }

  /** What waits for a decision, the oldest first. One that expires, or whose run ends, leaves it. */
  get pending(): readonly ApprovalRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /** Lets a call go on; false where it no longer waits: decided, expired, cancelled or never asked. */
  approve(id: string, options: { readonly arguments?: unknown } = {}): boolean {
    return this.#decide(id, { approved: true, ...options });
  }

  /** Refuses a call, with a reason that the model reads; false as for `approve`. */
  reject(id: string, reason: string): boolean {
    return this.#decide(id, { approved: false, reason });
  }

  /** What the policy calls. */
  async ask(
    request: ApprovalRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Approval> {
    const answer = createDeferred<Approval>();
    const onAbort = (): void => {
      this.#decide(request.id, { approved: false, reason: 'nobody waits for it any more' });
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

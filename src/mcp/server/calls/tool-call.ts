import type { CallToolResult, InputRequests, ServerContext } from '@modelcontextprotocol/server';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { onAbort } from '../../../shared/async/on-abort.ts';
import { given } from '../../../shared/given.ts';
import { LONGEST_DELAY_MS } from '../../../shared/options/option-values.ts';
import { ApprovalQueue } from '../../../tools/policy/approval-queue.ts';
import type { ApproveFunction } from '../../../tools/policy/approval.ts';
import type { ToolProgress } from '../../../tools/tool.ts';
import type { CallClient } from './call-client.ts';
import { approvalForm, CANNOT_ASK, readAnswer } from './elicitation.ts';

/** A client, with how this call asks its user. */
interface AskingClient extends Pick<CallClient, 'onToolCall' | 'onProgress' | 'signal'> {
  readonly approver: ApproveFunction;
  /** Fires when the user can no longer be asked in this call. */
  readonly withdrawn: AbortSignal;
}

/** How a call asks the user of its client. */
export type Asking = 'request' | 'result' | 'never';

/**
 * A call that a client made. Since the revision 2026-07-28 of the protocol, a server cannot send
 * requests: it ends the client's request with questions, and the client makes another request with
 * the answers. So a call can outlive the request that began it.
 */
export class ToolCall {
  readonly result: Promise<CallToolResult>;
  readonly #asking: Asking;
  readonly #stop: AbortController = new AbortController();
  readonly #withdrawn: AbortController = new AbortController();
  readonly #questions: ApprovalQueue;
  #asked = createDeferred<undefined>();
  /** The request that waits for the call. */
  #request: ServerContext | undefined;
  #stopListening: () => void = () => {};
  #toolCalls = 0;
  /** The progress that the client was told last. */
  #told = Number.NEGATIVE_INFINITY;

  /**
   * @param request - The client's request.
   * @param run - Makes the call.
   */
  constructor(
    request: ServerContext,
    asking: Asking,
    run: (client: AskingClient) => Promise<CallToolResult>,
  ) {
    this.#asking = asking;
    this.#questions = new ApprovalQueue({ onRequest: () => this.#asked.resolve(undefined) });
    this.attach(request);
    this.result = run({
      approver: this.#ask,
      onToolCall: (message) => {
        this.#toolCalls += 1;
        return this.#tell({ progress: this.#toolCalls, message });
      },
      onProgress: (report) => this.#tell(report),
      signal: this.#stop.signal,
      withdrawn: this.#withdrawn.signal,
    });
    // No request may wait for it when it fails.
    this.result.catch(() => {});
  }

  /** Another request waits for the call from now on. If it is cancelled, the call is stopped. */
  attach(request: ServerContext): void {
    const { signal } = request.mcpReq;
    this.#request = request;
    this.#stopListening = onAbort(signal, () => this.stop());
    if (signal.aborted) this.stop();
  }

  /** No request waits for the call any more. */
  detach(): void {
    this.#stopListening();
    this.#request = undefined;
  }

  stop(): void {
    this.#stop.abort();
    this.withdraw();
  }

  /** No client gets the questions that still wait. If their program goes on, another call asks them. */
  withdraw(): void {
    this.#withdrawn.abort();
  }

  /** Whether nobody waits for its result any more. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves with the result, or with undefined if the user must be asked first. */
  async next(): Promise<CallToolResult | undefined> {
    if (this.#questions.pending.length > 0) return undefined;
    this.#asked = createDeferred();
    return Promise.race([this.result, this.#asked.promise]);
  }

  /** The questions that wait for an answer, by their ids. */
  get inputRequests(): InputRequests {
    const forms = this.#questions.pending.map((request) => [
      request.id,
      { method: 'elicitation/create', params: approvalForm(request) },
    ]);
    return Object.fromEntries(forms) as InputRequests;
  }

  /** Answers the questions that the client was asked. One that it left out is answered with no. */
  answer(ids: readonly string[], answers: Readonly<Record<string, unknown>> = {}): void {
    for (const id of ids) {
      const approval = readAnswer(Object.hasOwn(answers, id) ? answers[id] : undefined);
      if (approval.approved) this.#questions.approve(id);
      else this.#questions.reject(id, { reason: approval.reason });
    }
  }

  readonly #ask: ApproveFunction = async (request, { signal }) => {
    if (this.#asking === 'never') return CANNOT_ASK;
    const form = approvalForm(request);
    if ('approved' in form) return form;
    if (this.#asking === 'result') return this.#questions.ask(request, { signal });
    const answer = await this.#request?.mcpReq.send(
      { method: 'elicitation/create', params: { ...form } },
      // The policy decides how long the user may take.
      { signal, timeout: LONGEST_DELAY_MS },
    );
    return readAnswer(answer);
  };

  #tell({ progress, total, message }: ToolProgress): Promise<void> | undefined {
    const { notify, _meta } = this.#request?.mcpReq ?? {};
    const progressToken = _meta?.progressToken;
    // The protocol wants it to grow with each notification.
    if (progressToken === undefined || progress <= this.#told) return undefined;
    this.#told = progress;
    const params = { progressToken, progress, ...given({ total, message }) };
    // If it cannot be sent, the client has left, and the call is stopped.
    return notify?.({ method: 'notifications/progress', params }).catch(() => {});
  }
}

import { randomUUID } from 'node:crypto';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import { timeInLoopTurn } from '../../../shared/async/event-loop-work.ts';
import { messageOf } from '../../../shared/errors.ts';
import { invalidOption } from '../../../shared/options/option-values.ts';
import { warn } from '../../../shared/process-warning.ts';
import type { ApprovalRequest, AskedRequest } from '../approval-request.ts';
import { CALL_NOT_AWAITED, type ApprovalEnd } from '../approval.ts';
import type { CallWaiter } from '../call-waiter.ts';
import type {
  ApprovalBatch,
  AskBatchFunction,
  AskingProgram,
  BatchDecision,
  BatchGrant,
} from './approval-batch.ts';
import { readDecision, type KnownCalls } from './read-decision.ts';

/** A call that is decided in a batch. */
export interface BatchMember {
  readonly callId: string;
  /** Its arguments. The approver gets a copy, which it can change. */
  readonly sent: unknown;
  /** Creates its request, when the batch is complete. */
  readonly request: () => ApprovalRequest;
  /** Called when the approver is asked. */
  readonly onAsked: (request: AskedRequest) => void;
  /** Why edited arguments cannot be used; undefined if they can. */
  readonly problemOf: (edited: unknown) => string | undefined;
}

export interface BatchOptions {
  readonly ask: AskBatchFunction;
  readonly program: AskingProgram;
  readonly canGrant: boolean;
  /** How long the approver may take. */
  readonly timeoutMs: number;
}

const GRANT_LOST = 'The program has given up the approved calls that the grant covers.';

interface Open {
  readonly member: BatchMember;
  readonly end: Deferred<ApprovalEnd>;
}

/**
 * One batch of calls, from the moment that it is known which calls have a place in it. It is asked when
 * each of them was checked again, and has been added or has left.
 */
export class OpenBatch {
  readonly #options: BatchOptions;
  readonly #onOver: () => void;
  /** The calls that have a place, in order. */
  readonly #places: Set<string>;
  /** Those that are being checked again. */
  readonly #expected: Set<string>;
  /** Those that wait for the decision, by their ids. */
  readonly #open: Map<string, Open> = new Map();
  readonly #waiting: AbortController = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param callIds - The calls that have a place: at least one.
   * @param onOver - Called when the last one has given its place back.
   */
  constructor(callIds: readonly string[], options: BatchOptions, onOver: () => void) {
    this.#places = new Set(callIds);
    this.#expected = new Set(callIds);
    this.#options = options;
    this.#onOver = onOver;
  }

  has(callId: string): boolean {
    return this.#places.has(callId);
  }

  /** Waits for the decision about a call that has a place. */
  async add(member: BatchMember, waiter: CallWaiter): Promise<ApprovalEnd> {
    const { callId } = member;
    const end = createDeferred<ApprovalEnd>();
    this.#open.set(callId, { member, end });
    const cancel = (): void => {
      this.#settle(callId, { decision: 'cancelled', reason: CALL_NOT_AWAITED });
      if (this.#open.size === 0 && this.#expected.size === 0) this.#stop(CALL_NOT_AWAITED);
    };
    const stopListening = waiter.onOver(cancel);
    if (waiter.isOver) cancel();
    this.#arrived(callId);
    try {
      return await end.promise;
    } finally {
      stopListening();
    }
  }

  /** The call gives its place back: it was decided and can run, or will not be asked about. */
  leave(callId: string): void {
    if (!this.#places.delete(callId)) return;
    this.#arrived(callId);
    if (this.#places.size === 0) this.#onOver();
  }

  #arrived(callId: string): void {
    if (this.#expected.delete(callId) && this.#expected.size === 0) this.#send();
  }

  #send(): void {
    const open = [...this.#places].flatMap((callId) => this.#open.get(callId) ?? []);
    if (open.length === 0) return;
    const { ask, program, canGrant, timeoutMs } = this.#options;
    const id = randomUUID();
    const proposals = new Map<string, BatchGrant>();
    const members = open.map(({ member }, index) => {
      const { proposal, ...request } = member.request();
      const { toolName, line } = request;
      if (proposal !== undefined) proposals.set(`${line} ${toolName}`, { toolName, ...proposal });
      return { member, request: { number: index + 1, ...request } };
    });
    const requestedAtMs = Date.now();
    const batch: ApprovalBatch = {
      id,
      program,
      requests: members.map(({ request }) => request),
      requestedAtMs,
      expiresAtMs: requestedAtMs + timeoutMs,
      canGrant,
      proposals: [...proposals.values()],
    };
    const calls = members.length;
    for (const { member, request } of members) {
      const { id: requestId, number, expiresAtMs } = request;
      member.onAsked({ id: requestId, expiresAtMs, batch: { id, number, calls } });
    }
    const reason = `nobody decided within ${timeoutMs} ms`;
    this.#timer = setTimeout(() => {
      this.#stop(reason);
      this.#endAll({ decision: 'expired', reason });
    }, timeoutMs);
    const byId = new Map(members.map(({ member, request }) => [request.id, member]));
    this.#ask(ask, batch, byId).catch((error: unknown) => {
      // As for single calls, the error goes to the host only.
      if (this.#waiting.signal.aborted) return;
      warn(`An approver failed: ${JSON.stringify(messageOf(error))}`);
      clearTimeout(this.#timer);
      this.#endAll({ decision: 'rejected', reason: 'the approver failed' });
    });
  }

  async #ask(
    ask: AskBatchFunction,
    batch: ApprovalBatch,
    members: ReadonlyMap<string, BatchMember>,
  ): Promise<void> {
    const known: KnownCalls = {
      sentOf: (id) => members.get(id)?.sent,
      isOpen: (id) => this.#open.has(members.get(id)?.callId ?? ''),
    };
    const check = (decision: unknown): void => {
      const { ends, isGrantLost } = readDecision(decision, batch, known);
      for (const [id, end] of ends) {
        if (end.decision !== 'approved' || !end.edited) continue;
        const problem = members.get(id)?.problemOf(end.arguments);
        if (problem === undefined) continue;
        throw invalidOption(`calls.${id}.arguments`, end.arguments, 'arguments that fit', problem);
      }
      if (!isGrantLost) return;
      const { grant } = decision as BatchDecision;
      throw invalidOption('grant', grant, 'one that covers a call which still waits', GRANT_LOST);
    };
    // A list of its own, from which the approver may take what it has decided: every call is in this one.
    const shown = { ...batch, requests: [...batch.requests] };
    const decision = await ask(shown, { signal: this.#waiting.signal, check });
    const { ends, isGrantLost } = readDecision(decision, batch, known);
    clearTimeout(this.#timer);
    // The approver could not know it, so the rest of its decision counts.
    if (isGrantLost) warn(`A grant for the calls of a program was not given. ${GRANT_LOST}`);
    for (const [id, end] of ends) {
      const callId = members.get(id)?.callId;
      if (callId === undefined) continue;
      this.#settle(callId, end);
      // Its tool runs meanwhile. All of them in one turn would hold the event loop.
      await timeInLoopTurn();
    }
  }

  #endAll(end: ApprovalEnd): void {
    for (const callId of [...this.#open.keys()]) this.#settle(callId, end);
  }

  #settle(callId: string, end: ApprovalEnd): void {
    const open = this.#open.get(callId);
    this.#open.delete(callId);
    open?.end.resolve(end);
  }

  /** Tells the approver that the decision is not needed any more. */
  #stop(reason: string): void {
    clearTimeout(this.#timer);
    this.#waiting.abort(new Error(reason));
  }
}

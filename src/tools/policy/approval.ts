import { randomUUID } from 'node:crypto';
import { messageOf } from '../../shared/errors.ts';
import { copyJson } from '../../shared/json/copy-json.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { warn } from '../../shared/process-warning.ts';
import type { AskBatchFunction } from './batches/approval-batch.ts';
import { checkGrant, type ApprovalGrant, type CheckedGrant } from './grants/grant.ts';
import type { ApprovalRequest } from './approval-request.ts';
import type { PolicyCall } from './policy.ts';

export type Approval =
  | {
      readonly approved: true;
      /**
       * Arguments to use instead, in the form of `ApprovalRequest.arguments`. They are validated
       * like the original ones.
       * @default the original arguments
       */
      readonly arguments?: unknown;
      /** Approves further calls of this tool in advance. @default they ask too */
      readonly grant?: ApprovalGrant;
    }
  | {
      readonly approved: false;
      /** Why the call was rejected. The model reads it. */
      readonly reason: string;
    };

/** It may have more than the decision, such as who made it. */
const DECISION: OptionsObject<Extract<Approval, { approved: true }>> = {
  of: 'The decision of an approver',
  names: { approved: true, arguments: true, grant: 'plain' },
  page: 'docs/policy.md',
  otherWords: { args: 'arguments' },
  isOpen: true,
};

/** Decides a call. The signal fires when the decision is no longer needed. */
export type ApproveFunction = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<Approval>;

/**
 * A function that decides calls, or an object with such a function, like an `ApprovalQueue`. Without
 * `askBatch`, also the calls of rules with a `group` are asked one by one.
 */
export type Approver =
  | ApproveFunction
  | { readonly ask: ApproveFunction; readonly askBatch?: AskBatchFunction };

/** How the wait for an approval ended. */
export type ApprovalEnd =
  | {
      readonly decision: 'approved';
      readonly arguments: unknown;
      readonly edited: boolean;
      readonly grant: CheckedGrant | undefined;
    }
  | { readonly decision: 'rejected' | 'expired' | 'cancelled'; readonly reason: string };

export const CALL_NOT_AWAITED = 'nobody waits for this call any more';

export interface AskOptions {
  /** The arguments of the call. */
  readonly sent: unknown;
  readonly timeoutMs: number;
  /** Fires when the program that made the call ends or gives the call up. */
  readonly signal: AbortSignal;
}

/** A call as its caller sent it. */
export type SentCall = Omit<PolicyCall, 'input'> & Pick<ApprovalRequest, 'arguments'>;

/** What a request has besides its call. */
export interface AboutRequest extends Pick<ApprovalRequest, 'reason' | 'canGrant'> {
  readonly timeoutMs: number;
  /** @default not known */
  readonly line?: number | undefined;
  /** @default none */
  readonly proposal?: ApprovalGrant | undefined;
}

/** Creates the request for a call. */
export function approvalRequest(
  call: SentCall,
  { timeoutMs, line, proposal, reason, canGrant }: AboutRequest,
): ApprovalRequest {
  const { toolName, caller, callId, sessionId, labels, annotations } = call;
  const requestedAtMs = Date.now();
  // With spreads, a thousand requests of a batch would take several megabytes of garbage.
  return {
    id: randomUUID(),
    toolName,
    caller,
    callId,
    sessionId,
    labels,
    annotations,
    // The call keeps its own copy: an approver that changes this one in place has edited nothing.
    arguments: copyJson(call.arguments),
    reason,
    requestedAtMs,
    expiresAtMs: requestedAtMs + timeoutMs,
    canGrant,
    line,
    proposal,
  };
}

/**
 * Asks once, and waits for the decision, the time limit or the end of the program, whichever is
 * first. Never throws: if the approver throws or returns something else than a decision, the call
 * is rejected.
 */
export async function askApprover(
  approver: Approver,
  request: ApprovalRequest,
  { sent, timeoutMs, signal }: AskOptions,
): Promise<ApprovalEnd> {
  const waiting = new AbortController();
  return new Promise((resolve) => {
    const settle = (end: ApprovalEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(end);
    };
    const stop = (decision: 'expired' | 'cancelled', reason: string): void => {
      settle({ decision, reason });
      waiting.abort(new Error(reason));
    };
    const onAbort = (): void => stop('cancelled', CALL_NOT_AWAITED);
    const timer = setTimeout(
      () => stop('expired', `nobody decided within ${timeoutMs} ms`),
      timeoutMs,
    );
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();
    ask(approver, request, waiting.signal)
      // Reading the answer may fail too, for example if a getter throws.
      .then((approval) => read(approval, request, sent))
      .then(settle, (error: unknown) => {
        // The error goes to the host only: the caller is the model's code, which must not learn its
        // contents.
        if (!waiting.signal.aborted)
          warn(`An approver failed: ${JSON.stringify(messageOf(error))}`);
        settle({ decision: 'rejected', reason: 'the approver failed' });
      });
  });
}

/** Async, so that an approver that throws synchronously fails like one that rejects. */
async function ask(
  approver: Approver,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<unknown> {
  return typeof approver === 'function'
    ? approver(request, { signal })
    : approver.ask(request, { signal });
}

/** Only `approved: true` approves. */
function read(answer: unknown, request: ApprovalRequest, sent: unknown): ApprovalEnd {
  const approval = answer as Partial<Record<'approved' | 'arguments' | 'reason', unknown>> | null;
  if (approval?.approved === true) {
    return readApproval(approval as ApprovedCall, request, sent);
  }
  if (approval?.approved !== false) {
    warn(
      `An approver returned neither { approved: true } nor { approved: false, reason }, so the call was rejected.`,
    );
    return { decision: 'rejected', reason: 'the approver failed' };
  }
  const { reason } = approval;
  return {
    decision: 'rejected',
    reason: typeof reason === 'string' && reason !== '' ? reason : 'no reason was given',
  };
}

type ApprovedCall = Extract<Approval, { approved: true }>;

/**
 * Reads the approval of a call.
 * @param sent - The arguments of the call: what the request has can have been changed in place.
 * @throws PtcError `OPTION_INVALID` for a name that an approval does not have, or for a grant that is not
 *   valid.
 */
export function readApproval(
  approval: ApprovedCall,
  request: ApprovalRequest,
  sent: unknown,
): Extract<ApprovalEnd, { decision: 'approved' }> {
  // Otherwise a misspelt name would approve the original arguments.
  checkOptionNames(approval, DECISION);
  const { arguments: own, grant } = approval;
  const edited = own !== undefined;
  const approved = edited ? own : sent;
  if (grant !== undefined && !request.canGrant) {
    throw invalidOption(
      'grant',
      grant,
      'left out',
      'The policy has no `grants`, which keeps them.',
    );
  }
  const checked = grant && checkGrant(grant, { ...request, arguments: approved });
  return { decision: 'approved', arguments: approved, edited, grant: checked };
}

import { randomUUID } from 'node:crypto';
import { messageOf } from '../shared/errors.ts';
import { warn } from '../shared/process-warning.ts';
import type { PolicyCall } from './policy.ts';

/** A call that waits for a decision. Times are milliseconds since the epoch. */
export interface ApprovalRequest extends PolicyCall {
  /** Cannot be guessed, and is never used twice. */
  readonly id: string;
  /** A copy of the arguments as the caller sent them: what edited ones should look like. */
  readonly arguments: unknown;
  /** The reason of the rule that asks. */
  readonly reason: string | undefined;
  readonly askedAtMs: number;
  /** From then on the call is rejected. */
  readonly expiresAtMs: number;
}

export type Approval =
  | {
      readonly approved: true;
      /** In place of those asked for; validated as those were. @default those asked for */
      readonly arguments?: unknown;
    }
  | {
      readonly approved: false;
      /** For whoever made the call: the model reads it. */
      readonly reason: string;
    };

/** Decides a call. Its signal fires when nobody waits for the decision any more. */
export type ApproveFunction = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<Approval>;

/** A function that decides calls, or an object with one, such as an `ApprovalQueue`. */
export type Approver = ApproveFunction | { readonly ask: ApproveFunction };

/** How the waiting for an approval ended. */
export type ApprovalEnd =
  | { readonly decision: 'approved'; readonly arguments: unknown; readonly edited: boolean }
  | { readonly decision: 'rejected' | 'expired' | 'cancelled'; readonly reason: string };

export const NOBODY_WAITS = 'nobody waits for this call any more';

export interface AskOptions {
  readonly timeoutMs: number;
  /** Fires when the run that made the call is over, or its program gave the call up. */
  readonly signal: AbortSignal;
}

/** What there is to ask of a call. */
export function approvalRequest(
  call: PolicyCall,
  sent: unknown,
  reason: string | undefined,
  timeoutMs: number,
): ApprovalRequest {
  const askedAtMs = Date.now();
  const expiresAtMs = askedAtMs + timeoutMs;
  // The call goes on with its own: an approver that changes these in place has edited nothing.
  const copy: unknown = structuredClone(sent);
  return { ...call, id: randomUUID(), arguments: copy, reason, askedAtMs, expiresAtMs };
}

/**
 * Asks once and waits for whatever is first: the decision, the deadline or the run's end. Never throws:
 * an approver that fails, or whose answer is none, has not approved.
 */
export async function askApprover(
  approver: Approver,
  request: ApprovalRequest,
  { timeoutMs, signal }: AskOptions,
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
    const onAbort = (): void => stop('cancelled', NOBODY_WAITS);
    const timer = setTimeout(
      () => stop('expired', `nobody decided within ${timeoutMs} ms`),
      timeoutMs,
    );
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();
    ask(approver, request, waiting.signal)
      // What reads the answer may fail too, as at a getter that throws.
      .then((approval) => read(approval, request))
      .then(settle, (error: unknown) => {
        // The caller is the model's code, and the error may hold what is none of its business.
        if (!waiting.signal.aborted)
          warn(`An approver failed: ${JSON.stringify(messageOf(error))}`);
        settle({ decision: 'rejected', reason: 'the approver failed' });
      });
  });
}

/** Async, so that one that throws at once fails as one that throws later. */
async function ask(
  approver: Approver,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<unknown> {
  return typeof approver === 'function'
    ? approver(request, { signal })
    : approver.ask(request, { signal });
}

/** Nothing but a plain `approved: true` approves. */
function read(answer: unknown, request: ApprovalRequest): ApprovalEnd {
  const approval = answer as Partial<Record<'approved' | 'arguments' | 'reason', unknown>> | null;
  if (approval?.approved === true) {
    const edited = approval.arguments !== undefined;
    return {
      decision: 'approved',
      arguments: edited ? approval.arguments : request.arguments,
      edited,
    };
  }
  if (approval?.approved !== false) {
    warn(`An approver gave neither { approved: true } nor { approved: false, reason }.`);
    return { decision: 'rejected', reason: 'the approver failed' };
  }
  const { reason } = approval;
  return {
    decision: 'rejected',
    reason: typeof reason === 'string' && reason !== '' ? reason : 'no reason was given',
  };
}

import type { CallDecision } from '../tools/policy-gate.ts';
import type { ExecutionEvent } from './execution.ts';

type ApprovalEvent = Extract<ExecutionEvent, { readonly type: 'approval' }>;

/** What listeners hear of a decision; undefined for one that nobody was asked for, or that nobody waits for any more. */
export function approvalEvent(made: CallDecision): ApprovalEvent | undefined {
  const { decision, callId, toolName, reason, request } = made;
  if (request === undefined || decision === 'denied' || decision === 'cancelled') return undefined;
  const about = { callId, toolName, arguments: made.arguments, reason };
  const { id: requestId, expiresAtMs } = request;
  return { type: 'approval', ...about, decision, requestId, expiresAtMs };
}

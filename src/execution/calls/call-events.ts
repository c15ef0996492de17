import type { CallDecision } from '../../tools/policy/policy-gate.ts';
import type { ExecutionEvent } from '../execution.ts';
import { failureForHost, type ToolOutcome } from './tool-outcome.ts';

/** The longest result that listeners get, in characters: they may keep it or send it elsewhere. */
const MAX_EVENT_RESULT_LENGTH = 10_000;

type ResultEvent = Extract<ExecutionEvent, { readonly type: 'tool-result' }>;
type ApprovalEvent = Extract<ExecutionEvent, { readonly type: 'approval' }>;

/**
 * The event of a decision. Returns undefined if no approver was asked, or if nothing waits for the
 * call any more.
 */
export function approvalEvent(made: CallDecision): ApprovalEvent | undefined {
  const { decision, callId, toolName, reason, request } = made;
  if (request === undefined || decision === 'denied' || decision === 'cancelled') return undefined;
  const about = { callId, toolName, arguments: made.arguments, reason };
  const { id: requestId, expiresAtMs } = request;
  return { type: 'approval', ...about, decision, requestId, expiresAtMs };
}

/** The event of a call that has ended. */
export function resultEvent(
  { callId, toolName }: { readonly callId: string; readonly toolName: string },
  outcome: ToolOutcome,
  durationMs: number,
): ResultEvent {
  return {
    type: 'tool-result',
    callId,
    toolName,
    durationMs,
    result: outcome.ok ? outcome.result.text.slice(0, MAX_EVENT_RESULT_LENGTH) : undefined,
    resultLength: outcome.ok ? outcome.result.text.length : outcome.failure.message.length,
    error: failureForHost(outcome),
  };
}

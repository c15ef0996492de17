import { untilAborted } from '../../shared/async/abort.ts';
import { CALL_NOT_AWAITED } from '../../tools/policy/approval.ts';
import { isAbandoned, untilReady, type CallToDefer } from '../admit-call.ts';
import type { ToolInvocation } from '../tool-invocation.ts';
import { failed, type CallOutcome } from '../tool-outcome.ts';
import { MOST_DEFERRED_BYTES, MOST_DEFERRED_CALLS } from './deferrals.ts';

/**
 * Defers a call, if its program may defer one more, and records that. Its outcome is the receipt,
 * which is only for the program to read: nothing is done with what a program makes of it.
 */
export async function deferCall(
  invocation: ToolInvocation,
  { counted, exceeded, reason }: CallToDefer,
): Promise<CallOutcome> {
  const { toolName, callId, caller, log, signal, deferrals } = invocation;
  const argumentsText = JSON.stringify(invocation.arguments);
  const number = deferrals?.take(invocation.storage?.sizeBytes ?? 0);
  if (number === undefined) {
    const { type, message } = counted.refuse(FULL);
    return failed(type, message);
  }
  const ready = untilReady(invocation);
  if (ready !== undefined) await ready;
  const call = { toolName, callId, caller, argumentsText };
  if (log?.deferred !== undefined) await untilAborted(log.deferred(call), signal);
  if (isAbandoned(invocation)) return failed('Cancelled', CALL_NOT_AWAITED);
  const text = JSON.stringify({ deferred: true, number });
  return { ok: true, result: { text }, deferred: { number, exceeded, reason } };
}

const FULL = {
  limit: 'deferredCalls',
  action: 'deny',
  reason: `this program has deferred as many calls as it may: ${MOST_DEFERRED_CALLS}, or with arguments of ${MOST_DEFERRED_BYTES} bytes together`,
} as const;

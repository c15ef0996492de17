import { untilAborted } from '../shared/async/abort.ts';
import type { PacedListener } from '../shared/listeners/paced-listener.ts';
import { copyJson } from '../shared/json/copy-json.ts';
import type { CallDecision } from '../tools/policy/policy-gate.ts';
import type { ToolProgress } from '../tools/tool.ts';
import type { CallEvent } from './call-event.ts';
import type { CallTrail } from './call-trail.ts';
import type { ToolInvocation } from './tool-invocation.ts';
import { failureForHost, type ToolOutcome } from './tool-outcome.ts';

/** The longest result that listeners get, in characters: they may keep it or send it elsewhere. */
const MAX_EVENT_RESULT_LENGTH = 10_000;

type Listener = Pick<PacedListener<CallEvent>, 'tell' | 'taken'>;

type RecordedCall = Pick<ToolInvocation, 'toolName' | 'callId' | 'caller' | 'arguments'>;

interface CallEnd {
  readonly durationMs: number;
  /** Fires when nothing waits for the result any more. */
  readonly signal: AbortSignal;
}

/**
 * Reports calls, from programs and direct ones: what happens to them goes to the listener, and what
 * was decided and done also to the audit log.
 */
export class CallRecorder {
  readonly #audit: CallTrail | undefined;
  readonly #listener: Listener | undefined;

  constructor(audit: CallTrail | undefined, listener: Listener | undefined) {
    this.#audit = audit;
    this.#listener = listener;
  }

  /**
   * Settles when the audit log has room for more entries, and the listener has taken its events.
   * Undefined if that is so now.
   */
  ready(): Promise<unknown> | undefined {
    const recorded = this.#audit?.ready();
    const taken = this.#listener?.taken;
    if (recorded === undefined || taken === undefined) return recorded ?? taken;
    return Promise.all([recorded, taken]);
  }

  started({ callId, toolName, arguments: sent }: RecordedCall): void {
    this.#listener?.tell({
      type: 'tool-call-started',
      callId,
      toolName,
      arguments: copyJson(sent),
    });
  }

  decided(made: CallDecision): void {
    this.#audit?.decided(made);
    const event = approvalEvent(made);
    if (event !== undefined) this.#listener?.tell(event);
  }

  /** A listener that has not taken its events yet does not get it: the next one says more. */
  progressed({ callId, toolName }: RecordedCall, { progress, total, message }: ToolProgress): void {
    if (this.#listener?.taken !== undefined) return;
    this.#listener?.tell({
      type: 'tool-call-progressed',
      callId,
      toolName,
      progress,
      total,
      message,
    });
  }

  /** Resolves when there is room for more, or when the signal fires. The listener is told then. */
  async ended(call: RecordedCall, outcome: ToolOutcome, end: CallEnd): Promise<void> {
    await this.neverStarted(call, outcome, end);
    this.#listener?.tell(resultEvent(call, outcome, end.durationMs));
  }

  /** Like `ended`, for a call that the listener does not know. */
  async neverStarted(call: RecordedCall, outcome: ToolOutcome, end: CallEnd): Promise<void> {
    this.#audit?.callEnded(call, outcome, end.durationMs);
    const recorded = this.ready();
    if (recorded !== undefined) await untilAborted(recorded, end.signal);
  }
}

/**
 * The event of a decision. Returns undefined if no approver was asked, or if nothing waits for the
 * call any more.
 */
function approvalEvent(made: CallDecision): CallEvent | undefined {
  const { decision, callId, toolName, reason, request } = made;
  if (request === undefined || decision === 'denied' || decision === 'cancelled') return undefined;
  const { id: requestId, expiresAtMs } = request;
  const about = { callId, toolName, requestId, arguments: copyJson(made.arguments), reason };
  return decision === 'asked'
    ? { type: 'approval-requested', ...about, expiresAtMs }
    : { type: 'approval-decided', ...about, decision };
}

function resultEvent(
  { callId, toolName }: RecordedCall,
  outcome: ToolOutcome,
  durationMs: number,
): CallEvent {
  return {
    type: 'tool-call-ended',
    callId,
    toolName,
    durationMs,
    result: outcome.ok ? outcome.result.text.slice(0, MAX_EVENT_RESULT_LENGTH) : undefined,
    resultCharacters: outcome.ok ? outcome.result.text.length : outcome.failure.message.length,
    error: failureForHost(outcome),
  };
}

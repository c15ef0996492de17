import { untilAborted } from '../shared/async/abort.ts';
import { beginningOf } from '../shared/beginning-of.ts';
import type { PacedListener } from '../shared/listeners/paced-listener.ts';
import { copyJson } from '../shared/json/copy-json.ts';
import type { CallDecision } from '../tools/policy/call-gate.ts';
import type { ToolProgress } from '../tools/tool.ts';
import type { CallEvent, CallingProgram, CallStep } from './call-event.ts';
import type { CallTrail } from './call-trail.ts';
import type { ToolInvocation } from './tool-invocation.ts';
import { failureForHost, type Deferral, type ToolOutcome } from './tool-outcome.ts';

/** The longest result that listeners get, in characters: they may keep it or send it elsewhere. */
const MAX_EVENT_RESULT_LENGTH = 10_000;

type Listener = Pick<PacedListener<CallEvent>, 'tell' | 'taken'>;

type RecordedCall = Pick<ToolInvocation, 'toolName' | 'callId' | 'caller' | 'arguments' | 'line'>;

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
  readonly #program: CallingProgram;

  /** @param program - The program whose calls they are. @default they are direct */
  constructor(
    audit: CallTrail | undefined,
    listener: Listener | undefined,
    program: CallingProgram = {},
  ) {
    this.#audit = audit;
    this.#listener = listener;
    this.#program = program;
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

  started({ callId, toolName, arguments: sent, line }: RecordedCall): void {
    if (this.#listener === undefined) return;
    this.#tell({ type: 'tool-call-started', callId, toolName, arguments: copyJson(sent) }, line);
  }

  deferred(call: RecordedCall, { number, reason }: Deferral): void {
    const { callId, toolName, arguments: sent } = call;
    this.#audit?.deferred(call, { number, reason });
    const about = { callId, toolName, arguments: copyJson(sent), reason, number };
    this.#tell({ type: 'tool-call-deferred', ...about }, call.line);
  }

  /** @param line - As `ToolInvocation.line` of the call. */
  decided(made: CallDecision, line?: number): void {
    this.#audit?.decided(made, line);
    if (this.#listener === undefined) return;
    const step = approvalStep(made);
    if (step !== undefined) this.#tell(step, line);
  }

  /** A listener that has not taken its events yet does not get it: the next one says more. */
  progressed(call: RecordedCall, { progress, total, message }: ToolProgress): void {
    if (this.#listener?.taken !== undefined) return;
    const { callId, toolName, line } = call;
    this.#tell({ type: 'tool-call-progressed', callId, toolName, progress, total, message }, line);
  }

  /** Resolves when there is room for more, or when the signal fires. The listener is told then. */
  async ended(call: RecordedCall, outcome: ToolOutcome, end: CallEnd): Promise<void> {
    await this.neverStarted(call, outcome, end);
    if (this.#listener === undefined) return;
    this.#tell(resultStep(call, outcome, end.durationMs), call.line);
  }

  /** Like `ended`, for a call that the listener does not know. */
  async neverStarted(call: RecordedCall, outcome: ToolOutcome, end: CallEnd): Promise<void> {
    this.#audit?.callEnded(call, outcome, end.durationMs);
    const recorded = this.ready();
    if (recorded !== undefined) await untilAborted(recorded, end.signal);
  }

  #tell(step: CallStep, line: number | undefined): void {
    this.#listener?.tell({ ...step, ...this.#program, ...(line !== undefined && { line }) });
  }
}

/**
 * The event of a decision. Returns undefined if the policy denied the call, or if nothing waits for
 * it any more.
 */
function approvalStep(made: CallDecision): CallStep | undefined {
  const { decision, callId, toolName, reason, request, grant } = made;
  if (decision === 'denied' || decision === 'cancelled') return undefined;
  const about = { callId, toolName, arguments: copyJson(made.arguments), reason };
  if (decision === 'granted') {
    if (grant === undefined) return undefined;
    return { type: 'approval-granted', ...about, grantId: grant.id, callsLeft: grant.callsLeft };
  }
  if (request === undefined) return undefined;
  const { id: requestId, expiresAtMs, batch } = request;
  const asked = { requestId, expiresAtMs, ...(batch && { batch }) };
  return decision === 'asked'
    ? { type: 'approval-requested', ...about, ...asked }
    : { type: 'approval-decided', ...about, requestId, decision, grantId: grant?.id };
}

function resultStep(
  { callId, toolName }: RecordedCall,
  outcome: ToolOutcome,
  durationMs: number,
): CallStep {
  return {
    type: 'tool-call-ended',
    callId,
    toolName,
    durationMs,
    result: outcome.ok ? beginningOf(outcome.result.text, MAX_EVENT_RESULT_LENGTH) : undefined,
    resultCharacters: outcome.ok ? outcome.result.text.length : outcome.failure.message.length,
    error: failureForHost(outcome),
  };
}

import type { AuditedCall, AuditSink } from '../audit/entry.ts';
import type { CallDecision } from '../tools/policy/call-gate.ts';
import type { Deferral, ToolOutcome } from './tool-outcome.ts';
import type { ToolInvocation } from './tool-invocation.ts';

/** Where calls come from: a program, or a model that calls tools directly, without a session. */
export type CallSource =
  | { readonly sessionId: string; readonly programId: string; readonly runId: string }
  | { readonly labels: AuditedCall['labels'] };

type CallToRecord = Pick<ToolInvocation, 'toolName' | 'callId' | 'caller' | 'arguments' | 'line'>;

/** Writes the audit entries of calls: those of a program, or direct ones. */
export class CallTrail {
  protected readonly sink: AuditSink;
  readonly #source: CallSource;
  /** The arguments that an approver gave, by the id of the call that has not ended. */
  readonly #edited: Map<string, unknown> = new Map();

  constructor(sink: AuditSink, source: CallSource) {
    this.sink = sink;
    this.#source = source;
  }

  /** Like `AuditSink.ready`. */
  ready(): Promise<void> | undefined {
    return this.sink.ready();
  }

  /**
   * @param call - Its arguments are read when the entry is written. Until then, it may keep them in
   * any form.
   */
  callEnded(call: CallToRecord, outcome: ToolOutcome, durationMs: number): void {
    const { callId } = call;
    const edited = this.#edited.get(callId);
    this.#edited.delete(callId);
    this.sink.record({
      type: 'tool-call-ended',
      ...this.#source,
      toolName: call.toolName,
      callId,
      caller: call.caller,
      line: call.line,
      get arguments() {
        return edited === undefined ? call.arguments : edited;
      },
      outcome: outcome.ok ? 'ok' : outcome.failure.type,
      durationMs,
      resultBytes: outcome.ok ? Buffer.byteLength(outcome.result.text) : 0,
    });
  }

  deferred(
    { toolName, callId, caller, arguments: sent, line }: CallToRecord,
    { number, reason }: Pick<Deferral, 'number' | 'reason'>,
  ): void {
    const call = { ...this.#source, toolName, callId, caller, line, arguments: sent };
    this.sink.record({ type: 'tool-call-deferred', ...call, reason, number });
  }

  /** @param line - As `ToolInvocation.line` of the call. */
  decided(made: CallDecision, line?: number): void {
    const { decision, edited, reason, limit, toolName, callId, caller, grant } = made;
    if (edited) this.#edited.set(callId, made.arguments);
    const grantId = grant?.id;
    const about = { toolName, callId, caller, line, arguments: made.arguments, reason };
    const call = { ...this.#source, ...about };
    if (decision === 'denied') this.sink.record({ type: 'tool-call-denied', ...call, limit });
    else if (decision === 'granted') {
      this.sink.record({ type: 'approval-granted', ...call, grantId });
    } else if (decision === 'asked') this.sink.record({ type: 'approval-requested', ...call });
    else {
      const shown = edited ? 'edited' : decision;
      this.sink.record({ type: 'approval-decided', ...call, decision: shown, grantId });
    }
  }
}

import type { AuditedCall, AuditSink } from '../audit/entry.ts';
import type { CallDecision } from '../tools/policy/policy-gate.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import type { ToolInvocation } from './tool-invocation.ts';

/** Where calls come from: a program, or a model that calls tools directly, without a session. */
export type CallSource =
  | { readonly sessionId: string; readonly programId: string }
  | { readonly labels: AuditedCall['labels'] };

/** Writes the audit entries of calls: those of a program, or direct ones. */
export class CallTrail {
  protected readonly sink: AuditSink;
  readonly #source: CallSource;

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
  callEnded(
    call: Pick<ToolInvocation, 'toolName' | 'callId' | 'caller' | 'arguments'>,
    outcome: ToolOutcome,
    durationMs: number,
  ): void {
    this.sink.record({
      type: 'tool-call-ended',
      ...this.#source,
      toolName: call.toolName,
      callId: call.callId,
      caller: call.caller,
      get arguments() {
        return call.arguments;
      },
      outcome: outcome.ok ? 'ok' : outcome.failure.type,
      durationMs,
      resultBytes: outcome.ok ? Buffer.byteLength(outcome.result.text) : 0,
    });
  }

  decided(made: CallDecision): void {
    const { decision, edited, reason, toolName, callId, caller } = made;
    const call = { ...this.#source, toolName, callId, caller, arguments: made.arguments, reason };
    if (decision === 'denied') this.sink.record({ type: 'tool-call-denied', ...call });
    else if (decision === 'asked') this.sink.record({ type: 'approval-requested', ...call });
    else {
      const shown = edited ? 'edited' : decision;
      this.sink.record({ type: 'approval-decided', ...call, decision: shown });
    }
  }
}

import type { AuditedCall, AuditSink, RunStartedEntry } from '../telemetry/audit-entry.ts';
import type { CallDecision } from '../tools/policy-gate.ts';
import type { ExecutionResult } from './execution.ts';
import type { ToolInvocation, ToolOutcome } from './invoke-tool.ts';

/** Whose calls they are: a run's, or those that a model makes directly, which have no session. */
export type AuditedPlace =
  | { readonly sessionId: string; readonly executionId: string }
  | { readonly labels: AuditedCall['labels'] };

/** What an audit log is told of a run and its calls, or of direct calls. */
export class AuditTrail {
  protected readonly sink: AuditSink;
  readonly #place: AuditedPlace;

  constructor(sink: AuditSink, place: AuditedPlace) {
    this.sink = sink;
    this.#place = place;
  }

  callEnded(
    call: Pick<ToolInvocation, 'toolName' | 'callId' | 'caller' | 'arguments'>,
    outcome: ToolOutcome,
    durationMs: number,
  ): void {
    this.sink.record({
      type: 'tool-call-ended',
      ...this.#place,
      toolName: call.toolName,
      callId: call.callId,
      caller: call.caller,
      arguments: call.arguments,
      outcome: outcome.ok ? 'ok' : outcome.failure.type,
      durationMs,
      resultBytes: outcome.ok ? Buffer.byteLength(outcome.result.text) : 0,
    });
  }

  decided(made: CallDecision): void {
    const { decision, edited, reason, toolName, callId, caller } = made;
    const call = { ...this.#place, toolName, callId, caller, arguments: made.arguments, reason };
    if (decision === 'denied') this.sink.record({ type: 'denial', ...call });
    else this.sink.record({ type: 'approval', ...call, decision: edited ? 'edited' : decision });
  }
}

/** Tells of a run's start; what it gives tells of its calls and its end. */
export class RunTrail extends AuditTrail {
  readonly #run: Extract<AuditedPlace, { readonly sessionId: string }>;

  constructor(
    sink: AuditSink,
    request: Pick<RunStartedEntry, 'sessionId' | 'language' | 'code' | 'timeoutMs'>,
    executionId: string,
  ) {
    const { sessionId, language, code, timeoutMs } = request;
    const run = { sessionId, executionId };
    super(sink, run);
    this.#run = run;
    sink.record({ type: 'run-started', ...run, language, code, timeoutMs });
  }

  runEnded({ status, durationMs, toolCalls, stdout, stderr }: ExecutionResult): void {
    const outputBytes = Buffer.byteLength(stdout) + Buffer.byteLength(stderr);
    const end = { status, durationMs, toolCalls, outputBytes };
    this.sink.record({ type: 'run-ended', ...this.#run, ...end });
  }
}

import { untilAborted } from '../shared/abort.ts';
import type { AuditedCall, AuditSink, RunStartedEntry } from '../telemetry/audit-entry.ts';
import type { CallDecision } from '../tools/policy-gate.ts';
import type { ExecutionResult } from './execution.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import type { ToolInvocation } from './tool-invocation.ts';

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

  /** As that of the log. */
  ready(): Promise<void> | undefined {
    return this.sink.ready();
  }

  /** @param call - Its arguments are read when the entry is written: until then it may hold them as it likes. */
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

  /**
   * Settles when there is room for more, since a session must not make entries faster than they can be written, or at once
   * if the signal fires: who aborts a run does not wait for a disk. Its entries are written all the same.
   */
  async runEnded(result: ExecutionResult, signal: AbortSignal | undefined): Promise<void> {
    const { status, durationMs, toolCalls, stdout, stderr } = result;
    const outputBytes = Buffer.byteLength(stdout) + Buffer.byteLength(stderr);
    const end = { status, durationMs, toolCalls, outputBytes };
    this.sink.record({ type: 'run-ended', ...this.#run, ...end });
    const recorded = this.ready();
    if (recorded !== undefined) await untilAborted(recorded, signal);
  }
}

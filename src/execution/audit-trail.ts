import { untilAborted } from '../shared/async/abort.ts';
import type { AuditedCall, AuditSink, RunStartedEntry } from '../audit/entry.ts';
import type { CallDecision } from '../tools/policy/policy-gate.ts';
import type { ExecutionResult } from './execution.ts';
import type { ToolOutcome } from './calls/tool-outcome.ts';
import type { ToolInvocation } from './calls/tool-invocation.ts';

/** Where calls come from: a program, or a model that calls tools directly, without a session. */
export type CallSource =
  | { readonly sessionId: string; readonly executionId: string }
  | { readonly labels: AuditedCall['labels'] };

/** Writes the audit entries of a program and its calls, or of direct calls. */
export class AuditTrail {
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
    if (decision === 'denied') this.sink.record({ type: 'denial', ...call });
    else this.sink.record({ type: 'approval', ...call, decision: edited ? 'edited' : decision });
  }
}

/** Writes the entry of a program's start, and later those of its calls and its end. */
export class ProgramTrail extends AuditTrail {
  readonly #program: Extract<CallSource, { readonly sessionId: string }>;

  constructor(
    sink: AuditSink,
    request: Pick<RunStartedEntry, 'sessionId' | 'language' | 'code' | 'timeoutMs'>,
    executionId: string,
  ) {
    const { sessionId, language, code, timeoutMs } = request;
    const program = { sessionId, executionId };
    super(sink, program);
    this.#program = program;
    sink.record({ type: 'run-started', ...program, language, code, timeoutMs });
  }

  /**
   * Settles when the log has room for more, so that a session cannot make entries faster than they
   * are written. If the signal fires, it settles at once, because a caller that aborts should not
   * wait for a disk. The entries are still written.
   */
  async programEnded(result: ExecutionResult, signal: AbortSignal | undefined): Promise<void> {
    const { status, durationMs, toolCalls, stdout, stderr } = result;
    const outputBytes = Buffer.byteLength(stdout) + Buffer.byteLength(stderr);
    const end = { status, durationMs, toolCalls, outputBytes };
    this.sink.record({ type: 'run-ended', ...this.#program, ...end });
    const recorded = this.ready();
    if (recorded !== undefined) await untilAborted(recorded, signal);
  }
}

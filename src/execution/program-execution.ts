import { CallRecorder } from '../calls/call-recorder.ts';
import type { WaitingMessage } from '../protocol/call-messages.ts';
import type { HostMessage, OutcomeMessage, ToolResultMessage } from '../protocol/messages.ts';
import { AnySignal } from '../shared/async/any-signal.ts';
import { createDeferred, type Deferred } from '../shared/async/deferred.ts';
import { PacedListener } from '../shared/listeners/paced-listener.ts';
import { PtcError } from '../shared/errors.ts';
import type { CallGate } from '../tools/policy/call-gate.ts';
import type { JsonValue } from '../shared/json/json.ts';
import { BudgetUse } from './limits/budget-use.ts';
import type { RunnerConnection } from './connection/runner-connection.ts';
import type { ProgramMessage, RunningProgram } from './connection/running-program.ts';
import { describeExecution, type ExecutionEnd } from './describe-execution.ts';
import type { ExecutionEvent, ExecutionResult } from './execution.ts';
import type { StopCause } from './limits/execution-budgets.ts';
import { ExecutionWatch } from './limits/execution-watch.ts';
import { ProgramHold } from './held/program-hold.ts';
import { ProgramWait } from './held/program-wait.ts';
import { takeOutputs } from './files/output-files.ts';
import { ProgramCalls } from './program-calls.ts';
import type { ProgramRequest } from './program-request.ts';
import { ProgramOutput } from './program-output.ts';
import { ProgramTrail } from './program-trail.ts';

/** One program, from the moment it is sent to its runner: its output, its tool calls, and how it ends. */
export class ProgramExecution implements RunningProgram {
  readonly executionId: string;
  readonly #connection: RunnerConnection;
  readonly #request: ProgramRequest;
  readonly #started: number = performance.now();
  readonly #trail: ProgramTrail | undefined;
  readonly #listener: PacedListener<ExecutionEvent> | undefined;
  readonly #output: ProgramOutput;
  readonly #used: BudgetUse;
  readonly #watch: ExecutionWatch;
  readonly #policy: CallGate | undefined;
  readonly #calls: ProgramCalls;
  /** Undefined if nobody wants to know when it waits. */
  readonly #wait: ProgramWait | undefined;
  /** Undefined if it is not held, so that nobody answers its remote calls. */
  readonly hold: ProgramHold | undefined;
  readonly #end: Deferred<ExecutionEnd> = createDeferred();
  #over = false;
  #value: JsonValue | undefined;
  #stopCause: StopCause | undefined;
  /** Set while its deferred calls are decided and made. */
  #settling: AnySignal | undefined;

  constructor(connection: RunnerConnection, request: ProgramRequest) {
    const { origin, audit, timeoutMs, signal, policy, onEvent, endsRun, sessionClosed } = request;
    const { runId, sessionId } = origin;
    const { maxOutputBytes, budgets } = connection.options;
    this.executionId = connection.nextExecutionId();
    this.#connection = connection;
    this.#request = request;
    this.#trail = audit && new ProgramTrail(audit, { ...request, ...origin }, this.executionId);
    this.#listener = onEvent && new PacedListener(onEvent);
    this.#output = new ProgramOutput(maxOutputBytes, this.#listener);
    const { language, code, purpose } = request;
    const asksTogether = policy?.asksTogether === true;
    this.#wait = request.held === true || asksTogether ? new ProgramWait() : undefined;
    this.#policy = policy?.callGate({
      program: this,
      runId,
      sessionId,
      endsRun,
      sessionClosed,
      about: { language, code, purpose },
      isWaiting: asksTogether ? () => this.#wait?.isWaiting === true : undefined,
    });
    this.#wait?.listen(() => this.#policy?.group?.check());
    const stop = (cause: StopCause): void => this.#stop(cause);
    const onFault = (error: PtcError): void => connection.fail(error);
    this.#used = new BudgetUse(budgets, stop);
    this.#watch = new ExecutionWatch({
      timeoutMs,
      signal,
      approvalTimeoutMs: policy?.approvalTimeoutMs ?? 0,
      stop,
      extend: (limitMs) => this.#extend(limitMs),
      onStuck: onFault,
    });
    if (request.held === true && this.#wait !== undefined) {
      this.hold = new ProgramHold(this.#wait, {
        hold: (callId, longestMs) => this.#watch.hold(callId, longestMs),
        letGo: (callId) => this.#watch.letGo(callId),
      });
    }
    this.#calls = new ProgramCalls({
      origin,
      files: request.files,
      tools: request.tools,
      policy: this.#policy,
      onDecision: (decision) => {
        if (!this.#over) this.#watch.onDecision(decision);
      },
      recorder: new CallRecorder(this.#trail, this.#listener, {
        programId: this.executionId,
        runId,
      }),
      callLog: request.callLog,
      checkResults: request.checkResults ?? 'off',
      results: request.results,
      budgets,
      used: this.#used,
      remote: this.hold?.remote,
      answer: (result) => this.#answer(result),
      taken: () => connection.taken,
      onFault,
    });
  }

  get tenant(): string | undefined {
    return this.#request.origin.tenant;
  }

  /** Runs it until it ends in any way. */
  async run(): Promise<ExecutionResult> {
    const connection = this.#connection;
    const { origin, language, code, timeoutMs, signal, sessionEnds } = this.#request;
    const asked = {
      ...(this.#wait && { tell_waiting: true as const }),
      ...(this.#tellsLines && { tell_lines: true as const }),
      ...(this.#request.tellsReports === true && { tell_reports: true as const }),
    };
    connection.begin(this, { language, code, time_limit_ms: timeoutMs, ...asked });
    // It has been sent: its time begins, and the caller can abort it.
    this.#watch.begin();
    if (connection.lost !== undefined) this.onLost(connection.lost);
    const end = await this.#end.promise;
    connection.finish(end.outcome);
    this.#showLastValue(end);
    const description = describeExecution(end);
    const durationMs = performance.now() - this.#started;
    const files = await takeOutputs(connection.files, end.outcome, signal);
    const deferred = this.#calls.deferred.isEmpty
      ? {}
      : await this.#settleDeferred(description.status === 'ok');
    this.#policy?.end();
    const result = {
      ...description,
      success: description.status === 'ok',
      ...this.#output.all,
      toolCalls: this.#calls.count,
      durationMs,
      ...files,
      ...deferred,
      sessionId: origin.sessionId,
      // A session that is closing may still have its sandbox.
      sessionOpen: connection.open && sessionEnds?.() !== true,
    };
    await this.#trail?.programEnded(result, signal);
    return result;
  }

  /**
   * Asks the runner to interrupt the program, and aborts its tool calls. A call that the program
   * makes from now on, for example while it cleans up, fails at once instead of hanging. If the
   * program does not end, the sandbox is ended. Only the first cause counts. If the program has ended,
   * those of its deferred calls that were not made yet are not made.
   */
  stop(cause: StopCause): void {
    this.#stop(cause);
    this.#stopCause ??= cause;
    this.#settling?.abort(cause);
  }

  /** As `stop`, but without an effect on a program that has ended. */
  #stop(cause: StopCause): void {
    if (this.#over || this.#stopCause !== undefined) return;
    this.#stopCause = cause;
    this.#watch.expectEnd();
    this.#wait?.end();
    this.#send({ kind: 'cancel', execution_id: this.executionId });
    this.#calls.end();
  }

  /**
   * @throws PtcError `PROTOCOL_VIOLATION` for a message that is not allowed now, `SANDBOX_LOST` if
   * the program continues long after it was stopped.
   */
  onMessage(message: ProgramMessage, line: Buffer): void {
    // Nothing counts after the outcome, even if it arrived in the same chunk.
    if (this.#over) return;
    this.#used.receive('receivedBytes', line.length);
    if (message.kind === 'tool-call') {
      this.#wait?.ran();
      this.#calls.receive(message, line);
    } else if (message.kind === 'call-given-up') {
      this.#wait?.ran();
      this.#calls.giveUp(message.call_id);
    } else if (message.kind === 'waiting') this.#onWaiting(message);
    else if (message.kind === 'output-delta')
      this.#output.print(message.stream, message.text, message.omitted_bytes);
    else if (message.kind === 'image') this.#output.showImage(message);
    else if (message.kind === 'report') this.#onReport();
    else if (message.kind === 'value') this.#onValue(message.value);
    else this.#finish(message, undefined);
  }

  /** What it has printed so far. */
  get printed(): Pick<ExecutionResult, 'stdout' | 'stderr'> {
    return this.#output.printed;
  }

  onLost(lost: Error): void {
    this.#finish(undefined, lost);
  }

  /** Whether somebody reads which line makes a call: an approver, a listener, or the audit log. */
  get #tellsLines(): boolean {
    const { policy, audit, onEvent } = this.#request;
    return policy?.canAsk === true || audit !== undefined || onEvent !== undefined;
  }

  #showLastValue({ outcome }: ExecutionEnd): void {
    const value = outcome?.value ?? null;
    const { options, open } = this.#connection;
    if (value !== null && options.showLastValue && open) this.#output.showValue(value);
  }

  #onValue(value: JsonValue): void {
    if (this.#value !== undefined) {
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox sent two values of one program.');
    }
    this.#value = value;
  }

  /** @param succeeded - Whether the program did. It may have been stopped nevertheless, but too late. */
  async #settleDeferred(succeeded: boolean): Promise<Pick<ExecutionResult, 'deferred'>> {
    const { deferred } = this.#calls;
    using settling = new AnySignal(this.#request.signal);
    this.#settling = settling;
    const endedWell = succeeded && this.#stopCause === undefined && !settling.signal.aborted;
    const calls = await deferred.settle(endedWell, settling.signal);
    this.#settling = undefined;
    return { deferred: calls };
  }

  /** Tells the runner the new time limit, at which it stops the program if it has no host. */
  #extend(limitMs: number): void {
    const time_limit_ms = Math.ceil(limitMs);
    this.#send({ kind: 'extend', execution_id: this.executionId, time_limit_ms });
  }

  #onWaiting(message: WaitingMessage): void {
    if (this.#wait === undefined) throw notAsked('waits');
    this.#wait.receive(message);
  }

  #onReport(): void {
    if (this.#request.tellsReports !== true) throw notAsked('reports something');
    this.#listener?.tell({ type: 'program-reported' });
  }

  #answer(result: ToolResultMessage): void {
    if (this.#over) return;
    this.#wait?.answered();
    this.#send(result);
  }

  #send(message: HostMessage): void {
    if (!this.#over) this.#connection.send(message);
  }

  #finish(outcome: OutcomeMessage | undefined, lost: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#watch.release();
    this.#wait?.end();
    this.#calls.end();
    this.#end.resolve({ outcome, value: this.#value, stopCause: this.#stopCause, lost });
  }
}

function notAsked(does: string): PtcError {
  return new PtcError(
    'PROTOCOL_VIOLATION',
    `The sandbox said that its program ${does}, but the host had not asked for that.`,
  );
}

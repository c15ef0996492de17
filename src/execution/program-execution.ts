import { CallRecorder } from '../calls/call-recorder.ts';
import type { HostMessage, OutcomeMessage, OutputStream } from '../protocol/messages.ts';
import { createDeferred, type Deferred } from '../shared/async/deferred.ts';
import { PacedListener } from '../shared/listeners/paced-listener.ts';
import { PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json/json.ts';
import { BudgetUse } from './limits/budget-use.ts';
import { CapturedOutput } from './captured-output.ts';
import type { RunnerConnection } from './connection/runner-connection.ts';
import type { ProgramMessage, RunningProgram } from './connection/running-program.ts';
import { describeExecution, type ExecutionEnd } from './describe-execution.ts';
import type { ExecutionEvent, ExecutionResult } from './execution.ts';
import type { StopCause } from './limits/execution-budgets.ts';
import { ExecutionWatch } from './limits/execution-watch.ts';
import { takeOutputs } from './files/output-files.ts';
import { ProgramCalls } from './program-calls.ts';
import type { ProgramRequest } from './program-request.ts';
import { ProgramTrail } from './program-trail.ts';
import { ShownImages } from './shown-images.ts';

/** One program, from the moment it is sent to its runner: its output, its tool calls, and how it ends. */
export class ProgramExecution implements RunningProgram {
  readonly executionId: string;
  readonly #connection: RunnerConnection;
  readonly #request: ProgramRequest;
  readonly #started: number = performance.now();
  readonly #trail: ProgramTrail | undefined;
  readonly #listener: PacedListener<ExecutionEvent> | undefined;
  readonly #output: Record<OutputStream, CapturedOutput>;
  readonly #images: ShownImages = new ShownImages();
  readonly #used: BudgetUse;
  readonly #watch: ExecutionWatch;
  readonly #calls: ProgramCalls;
  readonly #end: Deferred<ExecutionEnd> = createDeferred();
  #over = false;
  #value: JsonValue | undefined;
  #stopCause: StopCause | undefined;

  constructor(connection: RunnerConnection, request: ProgramRequest) {
    const { origin, audit, timeoutMs, signal, policy, onEvent } = request;
    const { maxOutputBytes, budgets } = connection.options;
    this.executionId = connection.nextExecutionId();
    this.#connection = connection;
    this.#request = request;
    this.#trail = audit && new ProgramTrail(audit, { ...request, ...origin }, this.executionId);
    this.#listener = onEvent && new PacedListener(onEvent);
    this.#output = {
      stdout: new CapturedOutput(maxOutputBytes),
      stderr: new CapturedOutput(maxOutputBytes),
    };
    const stop = (cause: StopCause): void => this.stop(cause);
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
    this.#calls = new ProgramCalls({
      origin,
      files: request.files,
      tools: request.tools,
      policy: policy?.callGate(),
      onDecision: (decision) => this.#watch.onDecision(decision),
      recorder: new CallRecorder(this.#trail, this.#listener),
      callLog: request.callLog,
      checkResults: request.checkResults ?? 'off',
      budgets,
      used: this.#used,
      answer: (result) => this.#send(result),
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
    const { origin, language, code, timeoutMs, signal } = this.#request;
    connection.begin(this, { language, code, time_limit_ms: timeoutMs });
    // It has been sent: its time begins, and the caller can abort it.
    this.#watch.begin();
    if (connection.lost !== undefined) this.onLost(connection.lost);
    const end = await this.#end.promise;
    connection.finish(end.outcome);
    this.#showLastValue(end);
    const description = describeExecution(end);
    const result = {
      ...description,
      success: description.status === 'ok',
      ...this.#produced,
      durationMs: performance.now() - this.#started,
      ...(await takeOutputs(connection.files, end.outcome, signal)),
      sessionId: origin.sessionId,
      sessionOpen: connection.open,
    };
    await this.#trail?.programEnded(result, signal);
    return result;
  }

  /**
   * Asks the runner to interrupt the program, and aborts its tool calls. A call that the program
   * makes from now on, for example while it cleans up, fails at once instead of hanging. If the
   * program does not end, the sandbox is ended. Only the first cause counts.
   */
  stop(cause: StopCause): void {
    if (this.#over || this.#stopCause !== undefined) return;
    this.#stopCause = cause;
    this.#watch.expectEnd();
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
    if (message.kind === 'tool-call') this.#calls.receive(message, line);
    else if (message.kind === 'call-given-up') this.#calls.giveUp(message.call_id);
    else if (message.kind === 'output-delta')
      this.#print(message.stream, message.text, message.omitted_bytes);
    else if (message.kind === 'image') this.#images.receive(message);
    else if (message.kind === 'value') this.#onValue(message.value);
    else this.#finish(message, undefined);
  }

  onLost(lost: Error): void {
    this.#finish(undefined, lost);
  }

  /** What it has printed, shown and called, as its result has it. */
  get #produced(): Pick<
    ExecutionResult,
    'stdout' | 'stderr' | 'truncated' | 'images' | 'imageProblems' | 'toolCalls'
  > {
    const { stdout, stderr } = this.#output;
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      truncated: stdout.truncated || stderr.truncated,
      images: this.#images.images,
      imageProblems: this.#images.problems,
      toolCalls: this.#calls.count,
    };
  }

  /** Adds the value of the last expression below the output, as far as the limit allows. */
  #showLastValue({ outcome }: ExecutionEnd): void {
    const value = outcome?.value ?? null;
    const { options, open } = this.#connection;
    if (value === null || !options.showLastValue || !open) return;
    const text = this.#output.stdout.addLine(value);
    this.#listener?.tell({ type: 'output-delta', stream: 'stdout', text });
  }

  #print(stream: OutputStream, text: string, omittedBytes: number): void {
    const kept = this.#output[stream].add(text, omittedBytes);
    this.#listener?.tell({ type: 'output-delta', stream, text: kept });
  }

  #onValue(value: JsonValue): void {
    if (this.#value !== undefined) {
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox sent two values of one program.');
    }
    this.#value = value;
  }

  /** Tells the runner the new time limit, at which it stops the program if it has no host. */
  #extend(limitMs: number): void {
    const time_limit_ms = Math.ceil(limitMs);
    this.#send({ kind: 'extend', execution_id: this.executionId, time_limit_ms });
  }

  #send(message: HostMessage): void {
    if (!this.#over) this.#connection.send(message);
  }

  #finish(outcome: OutcomeMessage | undefined, lost: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#watch.release();
    this.#calls.end();
    this.#end.resolve({ outcome, value: this.#value, stopCause: this.#stopCause, lost });
  }
}

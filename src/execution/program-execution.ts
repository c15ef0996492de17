import { createDeferred, type Deferred } from '../shared/async/deferred.ts';
import { PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json/json.ts';
import type { HostMessage, OutcomeMessage, OutputStream } from '../protocol/messages.ts';
import { BudgetUse } from './budget-use.ts';
import { CapturedOutput } from './captured-output.ts';
import { CallRecorder } from '../calls/call-recorder.ts';
import { ProgramCalls } from './program-calls.ts';
import { ShownImages } from './shown-images.ts';
import type { StopCause } from './execution-budgets.ts';
import type { ExecutionResult } from './execution.ts';
import { ExecutionWatch } from './execution-watch.ts';
import type {
  ExecutionEnd,
  ExecutionMessage,
  ProgramExecutionOptions,
} from './program-execution-options.ts';

/** One program that is running: its output, its tool calls, and how it ends. */
export class ProgramExecution {
  readonly executionId: string;
  readonly #output: Record<OutputStream, CapturedOutput>;
  readonly #options: ProgramExecutionOptions;
  readonly #end: Deferred<ExecutionEnd> = createDeferred();
  readonly #used: BudgetUse;
  readonly #watch: ExecutionWatch;
  readonly #calls: ProgramCalls;
  readonly #images: ShownImages = new ShownImages();
  #over = false;
  #value: JsonValue | undefined;
  #stopCause: StopCause | undefined;

  constructor(options: ProgramExecutionOptions) {
    const { executionId, audit, budgets, policy, listener, maxOutputBytes } = options;
    this.executionId = executionId;
    this.#options = options;
    const stop = (cause: StopCause): void => this.stop(cause);
    this.#used = new BudgetUse(budgets, stop);
    this.#watch = new ExecutionWatch({
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      approvalTimeoutMs: options.policy?.approvalTimeoutMs ?? 0,
      stop,
      extend: (limitMs) => this.#extend(limitMs),
      onStuck: options.onFault,
    });
    this.#calls = new ProgramCalls({
      origin: options.origin,
      files: options.files,
      tools: options.tools,
      policy: policy?.callGate(),
      onDecision: (decision) => this.#watch.onDecision(decision),
      recorder: new CallRecorder(audit, listener),
      callLog: options.callLog,
      checkResults: options.checkResults,
      budgets,
      used: this.#used,
      answer: (result) => this.#send(result),
      taken: options.taken,
      onFault: options.onFault,
    });
    this.#output = {
      stdout: new CapturedOutput(maxOutputBytes),
      stderr: new CapturedOutput(maxOutputBytes),
    };
  }

  get tenant(): string | undefined {
    return this.#options.origin.tenant;
  }

  /** What it has printed, shown and called, as its result has it. */
  get produced(): Pick<
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

  /** Settles when the program has ended. Never rejects. */
  get end(): Promise<ExecutionEnd> {
    return this.#end.promise;
  }

  /** The program has been sent: its time begins, and the caller can abort it. */
  begin(): void {
    this.#watch.begin();
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
   * Handles a message of the runner about this program.
   * @param line - The frame, as the transport passes it.
   * @throws PtcError `PROTOCOL_VIOLATION` for a message that is not allowed now, `SANDBOX_LOST` if
   * the program continues long after it was stopped.
   */
  onMessage(message: ExecutionMessage, line: Buffer): void {
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

  /** The sandbox has ended. */
  onLost(lost: Error): void {
    this.#finish(undefined, lost);
  }

  /** Adds the value of the last expression below the output, as far as the limit allows. */
  showValue(value: string): void {
    const text = this.#output.stdout.addLine(value);
    this.#options.listener?.tell({ type: 'output-delta', stream: 'stdout', text });
  }

  #print(stream: OutputStream, text: string, omittedBytes: number): void {
    const kept = this.#output[stream].add(text, omittedBytes);
    this.#options.listener?.tell({ type: 'output-delta', stream, text: kept });
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
    if (!this.#over) this.#options.send(message);
  }

  #finish(outcome: OutcomeMessage | undefined, lost: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#watch.release();
    this.#calls.end();
    this.#end.resolve({ outcome, value: this.#value, stopCause: this.#stopCause, lost });
  }
}

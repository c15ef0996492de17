import { setMaxListeners } from 'node:events';
import { untilAborted } from '../shared/async/abort.ts';
import { createDeferred, type Deferred } from '../shared/async/deferred.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json/json.ts';
import { Permit, Semaphore } from '../shared/async/semaphore.ts';
import type { CallLimits } from '../protocol/frames.ts';
import type { OutcomeMessage, OutputStream, ToolCallMessage } from '../protocol/messages.ts';
import type { CallDecision } from '../tools/policy/policy-gate.ts';
import { CapturedOutput } from './captured-output.ts';
import { OpenCalls } from './calls/open-calls.ts';
import { approvalEvent, resultEvent } from './calls/call-events.ts';
import { invokeTool } from './calls/invoke-tool.ts';
import type { ToolOutcome } from './calls/tool-outcome.ts';
import { ReceivedCall } from './calls/received-call.ts';
import { callLimits, overBudget, type CountedBudget, type StopCause } from './execution-budgets.ts';
import type {
  ExecutionEnd,
  ExecutionMessage,
  ProgramExecutionOptions,
} from './program-execution-options.ts';

/**
 * The answer to a call that a program makes after it was stopped, for example while it cleans up.
 */
const CALL_OF_ENDED_PROGRAM: ToolOutcome = {
  ok: false,
  failure: { type: 'Cancelled', message: 'the program that made this call has ended' },
};

/** Created once: an abort without a reason creates an error with a stack each time. */
const PROGRAM_ENDED = new Error('The program that made this call has ended.');

/** One program that is running: its output, its tool calls, and how it ends. */
export class ProgramExecution {
  readonly executionId: string;
  readonly output: Record<OutputStream, CapturedOutput>;
  readonly #options: ProgramExecutionOptions;
  readonly #end: Deferred<ExecutionEnd> = createDeferred();
  readonly #callIds: Set<string> = new Set();
  readonly #callLimits: CallLimits;
  readonly #callSemaphore: Semaphore;
  readonly #openCalls: OpenCalls = new OpenCalls();
  readonly #used: Record<CountedBudget, number> = {
    toolCalls: 0,
    receivedBytes: 0,
    sentBytes: 0,
    validationMs: 0,
  };
  /** Aborts the calls in progress. A program that calls no tool needs none. */
  #toolAbort: AbortController | undefined;
  #callsEnded = false;
  #over = false;
  #value: JsonValue | undefined;
  #stopCause: StopCause | undefined;

  constructor(options: ProgramExecutionOptions) {
    this.executionId = options.executionId;
    this.#options = options;
    this.#callLimits = callLimits(options.budgets);
    this.#callSemaphore = new Semaphore(options.budgets.concurrentToolCalls);
    this.output = {
      stdout: new CapturedOutput(options.outputLimitBytes),
      stderr: new CapturedOutput(options.outputLimitBytes),
    };
  }

  get toolCalls(): number {
    return this.#callIds.size;
  }

  /** Settles when the program has ended. Never rejects. */
  get end(): Promise<ExecutionEnd> {
    return this.#end.promise;
  }

  /**
   * Asks the runner to interrupt the program, and aborts its tool calls. A call that the program
   * makes from now on, for example while it cleans up, fails at once instead of hanging.
   */
  stop(cause: StopCause): void {
    if (this.#stopCause !== undefined) return;
    this.#stopCause = cause;
    this.#options.send({ kind: 'cancel', execution_id: this.executionId });
    this.#endCalls();
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
    this.#count('receivedBytes', line.length);
    if (message.kind === 'tool-call') this.#onToolCall(message, line);
    else if (message.kind === 'call-given-up') this.#onGivenUp(message.call_id);
    else if (message.kind === 'output-chunk')
      this.#print(message.stream, message.text, message.omitted_bytes);
    else if (message.kind === 'value') this.#onValue(message.value);
    else this.#finish(message, undefined);
  }

  /** The sandbox has ended. */
  onLost(lost: Error): void {
    this.#finish(undefined, lost);
  }

  /** Adds the value of the last expression below the output, as far as the limit allows. */
  showValue(value: string): void {
    const text = this.output.stdout.addLine(value);
    this.#options.onEvent?.({ type: 'output', stream: 'stdout', text });
  }

  #print(stream: OutputStream, text: string, omittedBytes: number): void {
    const kept = this.output[stream].add(text, omittedBytes);
    this.#options.onEvent?.({ type: 'output', stream, text: kept });
  }

  #onToolCall(message: ToolCallMessage, line: Buffer): void {
    if (this.#callIds.has(message.call_id)) {
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox used the id of a tool call twice.');
    }
    this.#callIds.add(message.call_id);
    this.#count('toolCalls', 1);
    this.#answer(new ReceivedCall(message, line, this.#callLimits)).catch((error: unknown) => {
      this.#options.onFault(failedHost(error));
    });
  }

  #onGivenUp(callId: string): void {
    if (!this.#callIds.has(callId)) {
      throw new PtcError(
        'PROTOCOL_VIOLATION',
        'The sandbox gave up a tool call that it never made.',
      );
    }
    this.#openCalls.giveUp(callId);
  }

  #onValue(value: JsonValue): void {
    if (this.#value !== undefined) {
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox sent two values of one program.');
    }
    this.#value = value;
  }

  #count(budget: CountedBudget, amount: number): void {
    const limit = this.#options.budgets[budget];
    this.#used[budget] += amount;
    if (this.#used[budget] <= limit) return;
    const cause = overBudget(budget, limit);
    this.#options.onExcess(cause);
    if (this.#used[budget] > 2 * limit) throw new PtcError('SANDBOX_LOST', cause.message);
  }

  async #answer(call: ReceivedCall): Promise<void> {
    const permit = new Permit(this.#callSemaphore);
    const turn = permit.take();
    if (turn !== undefined) {
      call.pack();
      await turn;
    }
    try {
      // The arguments of a call whose program ended while it waited need not be parsed.
      if (this.#callsEnded && call.isPacked) await this.#finishCall(call, CALL_OF_ENDED_PROGRAM);
      else await this.#work(call, permit);
    } finally {
      permit.release();
    }
  }

  async #work(call: ReceivedCall, permit: Permit): Promise<void> {
    const unpacked = call.unpack();
    if (unpacked !== undefined) await unpacked;
    const { callId, toolName } = call;
    const { onEvent } = this.#options;
    onEvent?.({ type: 'tool-call', callId, toolName, arguments: call.arguments });
    const outcome = this.#bound(await this.#invoke(call, permit));
    await this.#finishCall(call, outcome, (durationMs) => {
      onEvent?.(resultEvent(call, outcome, durationMs));
    });
  }

  /** Records the call, and answers it when the audit log has room for more entries. */
  async #finishCall(
    call: ReceivedCall,
    outcome: ToolOutcome,
    onRecorded?: (durationMs: number) => void,
  ): Promise<void> {
    const { audit, send } = this.#options;
    const durationMs = performance.now() - call.receivedAt;
    audit?.callEnded(call, outcome, durationMs);
    const recorded = audit?.ready();
    if (recorded !== undefined) {
      await untilAborted(recorded, this.#toolSignal());
      // The entry may wait longer than its program runs.
      if (this.#callsEnded) call.pack();
    }
    onRecorded?.(durationMs);
    if (this.#over) return;
    send({
      kind: 'tool-result',
      call_id: call.callId,
      result: outcome.ok ? outcome.result : { text: 'null' },
      error: outcome.ok ? null : outcome.failure,
    });
  }

  async #invoke(call: ReceivedCall, permit: Permit): Promise<ToolOutcome> {
    // The arguments need not be checked.
    if (this.#callsEnded) return CALL_OF_ENDED_PROGRAM;
    if (call.refusal !== undefined) {
      return { ok: false, failure: { type: 'InvalidArguments', message: call.refusal } };
    }
    const { tools, origin, policy } = this.#options;
    return invokeTool(tools, {
      toolName: call.toolName,
      get arguments() {
        return call.arguments;
      },
      caller: call.caller,
      callId: call.callId,
      origin,
      signal: this.#toolSignal(),
      permit,
      storage: call,
      openCalls: this.#openCalls,
      ready: () => this.#options.audit?.ready(),
      log: this.#options.callLog,
      policy,
      onDecision: this.#onDecision,
      onValidated: this.#onValidated,
    });
  }

  /** Once the program is stopped, its further calls are refused without a check. */
  readonly #onValidated = (durationMs: number): void => {
    const { validationMs } = this.#options.budgets;
    this.#used.validationMs += durationMs;
    if (this.#used.validationMs <= validationMs) return;
    this.#options.onExcess(overBudget('validationMs', validationMs));
  };

  readonly #onDecision = (made: CallDecision): void => {
    this.#options.onDecision(made);
    this.#options.audit?.decided(made);
    const event = approvalEvent(made);
    if (event !== undefined) this.#options.onEvent?.(event);
  };

  /** A result that exceeds the program's budget is not sent. */
  #bound(outcome: ToolOutcome): ToolOutcome {
    if (!outcome.ok) return outcome;
    const { sentBytes } = this.#options.budgets;
    const bytes = Buffer.byteLength(outcome.result.text);
    if (this.#used.sentBytes + bytes <= sentBytes) {
      this.#used.sentBytes += bytes;
      return outcome;
    }
    const cause = overBudget('sentBytes', sentBytes);
    this.#options.onExcess(cause);
    return { ok: false, failure: { type: cause.type, message: cause.message } };
  }

  #toolSignal(): AbortSignal {
    if (this.#toolAbort === undefined) {
      this.#toolAbort = new AbortController();
      // Every call in progress listens to it, and there may be many.
      setMaxListeners(0, this.#toolAbort.signal);
      if (this.#callsEnded) this.#endCalls();
    }
    return this.#toolAbort.signal;
  }

  #endCalls(): void {
    this.#callsEnded = true;
    this.#toolAbort?.abort(PROGRAM_ENDED);
  }

  #finish(outcome: OutcomeMessage | undefined, lost: Error | undefined): void {
    this.#over = true;
    this.#endCalls();
    this.#end.resolve({ outcome, value: this.#value, stopCause: this.#stopCause, lost });
  }
}

/** The error that ends a session if the host fails while it answers a call. */
function failedHost(cause: unknown): PtcError {
  return new PtcError(
    'SANDBOX_LOST',
    `The host failed while it answered a tool call, so it ended the session: ${messageOf(cause)}`,
    { cause },
  );
}

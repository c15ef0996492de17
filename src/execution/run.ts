import { setMaxListeners } from 'node:events';
import { untilAborted } from '../shared/abort.ts';
import { createDeferred, type Deferred } from '../shared/deferred.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json.ts';
import { Place, Places } from '../shared/places.ts';
import type { CallLimits } from '../protocol/frames.ts';
import type { OutcomeMessage, OutputStream, ToolCallMessage } from '../protocol/messages.ts';
import type { CallDecision } from '../tools/policy-gate.ts';
import { CapturedOutput } from './captured-output.ts';
import { OpenCalls } from './open-calls.ts';
import { approvalEvent } from './approval-event.ts';
import { invokeTool } from './invoke-tool.ts';
import { failureForHost, type ToolOutcome } from './tool-outcome.ts';
import { ReceivedCall } from './received-call.ts';
import { callLimits, overBudget, type CountedBudget, type StopCause } from './run-budgets.ts';
import type { RunEnd, RunMessage, RunOptions } from './run-options.ts';

/** What a program is told that calls a tool after its run was stopped, as when it cleans up. */
const CALL_OF_ENDED_RUN: ToolOutcome = {
  ok: false,
  failure: { type: 'Cancelled', message: 'the run that made this call has ended' },
};

/** Longest result that listeners get, in characters: they may keep it, or send it somewhere. */
export const MAX_EVENT_RESULT_LENGTH = 10_000;

/** Made once: an abort without a reason makes an error with a stack each time. */
const RUN_ENDED = new Error('The run that made this call has ended.');

/** One program under way: what it printed, its tool calls, how it ends. */
export class Run {
  readonly executionId: string;
  readonly output: Record<OutputStream, CapturedOutput>;
  readonly #options: RunOptions;
  readonly #end: Deferred<RunEnd> = createDeferred();
  readonly #callIds: Set<string> = new Set();
  readonly #callLimits: CallLimits;
  readonly #places: Places;
  readonly #openCalls: OpenCalls = new OpenCalls();
  readonly #used: Record<CountedBudget, number> = {
    toolCalls: 0,
    receivedBytes: 0,
    sentBytes: 0,
    validationMs: 0,
  };
  /** Ends the calls under way. A run that calls no tool needs none. */
  #toolAbort: AbortController | undefined;
  #callsEnded = false;
  #over = false;
  #value: JsonValue | undefined;
  #stopCause: StopCause | undefined;

  constructor(options: RunOptions) {
    this.executionId = options.executionId;
    this.#options = options;
    this.#callLimits = callLimits(options.budgets);
    this.#places = new Places(options.budgets.concurrentToolCalls);
    this.output = {
      stdout: new CapturedOutput(options.outputLimitBytes),
      stderr: new CapturedOutput(options.outputLimitBytes),
    };
  }

  get toolCalls(): number {
    return this.#callIds.size;
  }

  /** Settles when the run is over. Never rejects. */
  get end(): Promise<RunEnd> {
    return this.#end.promise;
  }

  /**
   * Asks the runner to interrupt the program, and tells its tools that nobody waits any more. A call
   * that the program makes from now on, as when it cleans up, fails at once and does not hang.
   */
  stop(cause: StopCause): void {
    if (this.#stopCause !== undefined) return;
    this.#stopCause = cause;
    this.#options.send({ kind: 'cancel', execution_id: this.executionId });
    this.#endCalls();
  }

  /**
   * Takes what the runner says of this run.
   * @param line - Its frame, as the transport gives it.
   * @throws PtcError `PROTOCOL_VIOLATION` for what it may not say, `SANDBOX_LOST` where it goes on
   * long after it was told to stop.
   */
  onMessage(message: RunMessage, line: Buffer): void {
    // Its outcome was its last word, whatever came in the same breath.
    if (this.#over) return;
    this.#count('receivedBytes', line.length);
    if (message.kind === 'tool-call') this.#onToolCall(message, line);
    else if (message.kind === 'call-given-up') this.#onGivenUp(message.call_id);
    else if (message.kind === 'output-chunk')
      this.#print(message.stream, message.text, message.omitted_bytes);
    else if (message.kind === 'value') this.#onValue(message.value);
    else this.#finish(message, undefined);
  }

  /** The sandbox is gone. */
  onLost(lost: Error): void {
    this.#finish(undefined, lost);
  }

  /** Prints the last expression's value below what the program printed, as far as the limit goes. */
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
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox gave up a call that it never made.');
    }
    this.#openCalls.giveUp(callId);
  }

  #onValue(value: JsonValue): void {
    if (this.#value !== undefined) {
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox handed back two values of one run.');
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
    const place = new Place(this.#places);
    const turn = place.take();
    if (turn !== undefined) {
      call.pack();
      await turn;
    }
    try {
      // Parsing the arguments of a call whose run ended before its turn would take time for nothing.
      if (this.#callsEnded && call.isPacked) await this.#finishCall(call, CALL_OF_ENDED_RUN);
      else await this.#work(call, place);
    } finally {
      place.leave();
    }
  }

  async #work(call: ReceivedCall, place: Place): Promise<void> {
    const unpacked = call.unpack();
    if (unpacked !== undefined) await unpacked;
    const { callId, toolName } = call;
    const { onEvent } = this.#options;
    onEvent?.({ type: 'tool-call', callId, toolName, arguments: call.arguments });
    const outcome = this.#bound(await this.#invoke(call, place));
    await this.#finishCall(call, outcome, (durationMs) => {
      onEvent?.({
        type: 'tool-result',
        callId,
        toolName,
        durationMs,
        result: outcome.ok ? outcome.result.text.slice(0, MAX_EVENT_RESULT_LENGTH) : undefined,
        resultLength: outcome.ok ? outcome.result.text.length : outcome.failure.message.length,
        error: failureForHost(outcome),
      });
    });
  }

  /** Has it recorded, and answers it when there is room for more entries. */
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
      // The entry may still wait after its run.
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

  async #invoke(call: ReceivedCall, place: Place): Promise<ToolOutcome> {
    // Checking its arguments would take time for nothing.
    if (this.#callsEnded) return CALL_OF_ENDED_RUN;
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
      place,
      held: call,
      openCalls: this.#openCalls,
      ready: () => this.#options.audit?.ready(),
      log: this.#options.callLog,
      policy,
      onDecision: this.#onDecision,
      onValidated: this.#onValidated,
    });
  }

  /** Once the run is stopped, its further calls are refused without a check. */
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

  /** A result that the run has no budget for does not go out. */
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
      // Every call under way listens to it, and there may be many.
      setMaxListeners(0, this.#toolAbort.signal);
      if (this.#callsEnded) this.#endCalls();
    }
    return this.#toolAbort.signal;
  }

  #endCalls(): void {
    this.#callsEnded = true;
    this.#toolAbort?.abort(RUN_ENDED);
  }

  #finish(outcome: OutcomeMessage | undefined, lost: Error | undefined): void {
    this.#over = true;
    this.#endCalls();
    this.#end.resolve({ outcome, value: this.#value, stopCause: this.#stopCause, lost });
  }
}

/** What ends a session whose host failed while it answered a call. */
function failedHost(cause: unknown): PtcError {
  return new PtcError(
    'SANDBOX_LOST',
    `The host failed while it answered a tool call, so the session was ended: ${messageOf(cause)}`,
    { cause },
  );
}

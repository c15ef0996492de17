import { setMaxListeners } from 'node:events';
import { createDeferred, type Deferred } from '../shared/deferred.ts';
import { PtcError } from '../shared/errors.ts';
import type {
  CallGivenUpMessage,
  HostMessage,
  OutcomeMessage,
  OutputChunkMessage,
  OutputStream,
  ToolCallMessage,
} from '../protocol/messages.ts';
import type { CallDecision, PolicyGate } from '../tools/policy-gate.ts';
import type { AuditTrail } from './audit-trail.ts';
import { CapturedOutput } from './captured-output.ts';
import type { ExecutionEvent } from './execution.ts';
import { CallPlaces } from './call-places.ts';
import { OpenCalls } from './open-calls.ts';
import { failureForHost, invokeTool, type ToolLookup, type ToolOutcome } from './invoke-tool.ts';
import { overBudget, type CountedBudget, type RunBudgets, type StopCause } from './run-budgets.ts';

/** Made once: an abort without a reason makes an error with a stack each time. */
const RUN_ENDED = new Error('The run that made this call has ended.');

/** What a runner says of a run. */
export type RunMessage = ToolCallMessage | CallGivenUpMessage | OutputChunkMessage | OutcomeMessage;

/** How a run ended, in the runner's word where it could still give it. */
export interface RunEnd {
  readonly outcome: OutcomeMessage | undefined;
  /** Set where the host stopped the run. */
  readonly stopCause: StopCause | undefined;
  /** Set where the sandbox was lost under the run. */
  readonly lost: Error | undefined;
}

export interface RunOptions {
  readonly executionId: string;
  readonly sessionId: string;
  readonly tools: ToolLookup;
  readonly policy: PolicyGate | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Hears what the policy decides of its calls. */
  readonly onDecision: (decision: CallDecision) => void;
  readonly audit: AuditTrail | undefined;
  readonly outputLimitBytes: number;
  readonly budgets: RunBudgets;
  readonly send: (message: HostMessage) => void;
  /** Has it stopped because it passed a budget. */
  readonly onExcess: (cause: StopCause) => void;
  readonly onEvent: ((event: ExecutionEvent) => void) | undefined;
}

/** One program under way: what it printed, its tool calls, how it ends. */
export class Run {
  readonly executionId: string;
  readonly output: Record<OutputStream, CapturedOutput>;
  readonly #options: RunOptions;
  readonly #end: Deferred<RunEnd> = createDeferred();
  readonly #callIds: Set<string> = new Set();
  readonly #places: CallPlaces;
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
  #stopCause: StopCause | undefined;

  constructor(options: RunOptions) {
    this.executionId = options.executionId;
    this.#options = options;
    this.#places = new CallPlaces(options.budgets.concurrentToolCalls);
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
    else this.#finish({ outcome: message, stopCause: this.#stopCause, lost: undefined });
  }

  /** The sandbox is gone. */
  onLost(lost: Error): void {
    this.#finish({ outcome: undefined, stopCause: this.#stopCause, lost });
  }

  /** Prints the last expression's value, as far as the limit goes. */
  showValue(value: string): void {
    const room = this.#options.outputLimitBytes - 1;
    this.#print('stdout', value.slice(0, room), 0);
    this.#print('stdout', '\n', Buffer.byteLength(value.slice(room)));
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
    void this.#answer(message);
  }

  #onGivenUp(callId: string): void {
    if (!this.#callIds.has(callId)) {
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox gave up a call that it never made.');
    }
    this.#openCalls.giveUp(callId);
  }

  #count(budget: CountedBudget, amount: number): void {
    const limit = this.#options.budgets[budget];
    this.#used[budget] += amount;
    if (this.#used[budget] <= limit) return;
    const cause = overBudget(budget, limit);
    this.#options.onExcess(cause);
    if (this.#used[budget] > 2 * limit) throw new PtcError('SANDBOX_LOST', cause.message);
  }

  async #answer(call: ToolCallMessage): Promise<void> {
    const { audit, onEvent, send } = this.#options;
    const callId = call.call_id;
    const toolName = call.tool_name;
    const started = performance.now();
    onEvent?.({ type: 'tool-call', callId, toolName, arguments: call.arguments });
    const outcome = this.#bound(await this.#invoke(call));
    const durationMs = performance.now() - started;
    audit?.callEnded(
      { callId, toolName, caller: 'code', arguments: call.arguments },
      outcome,
      durationMs,
    );
    onEvent?.({
      type: 'tool-result',
      callId,
      toolName,
      durationMs,
      resultLength: outcome.ok ? outcome.result.text.length : outcome.failure.message.length,
      error: failureForHost(outcome),
    });
    if (this.#over) return;
    send({
      kind: 'tool-result',
      call_id: callId,
      result: outcome.ok ? outcome.result : { text: 'null' },
      error: outcome.ok ? null : outcome.failure,
    });
  }

  async #invoke(call: ToolCallMessage): Promise<ToolOutcome> {
    if (call.refusal !== undefined) {
      return { ok: false, failure: { type: 'InvalidArguments', message: call.refusal } };
    }
    const { tools, sessionId, policy, labels } = this.#options;
    return invokeTool(tools, {
      toolName: call.tool_name,
      arguments: call.arguments,
      caller: 'code',
      callId: call.call_id,
      sessionId,
      signal: this.#toolSignal(),
      places: this.#places,
      openCalls: this.#openCalls,
      policy,
      labels,
      onDecision: this.#onDecision,
    });
  }

  readonly #onDecision = (made: CallDecision): void => {
    const { decision, callId, toolName } = made;
    this.#options.onDecision(made);
    this.#options.audit?.decided(made);
    if (decision === 'denied' || decision === 'cancelled') return;
    this.#options.onEvent?.({ type: 'approval', callId, toolName, decision });
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

  #finish(end: RunEnd): void {
    this.#over = true;
    this.#endCalls();
    this.#end.resolve(end);
  }
}

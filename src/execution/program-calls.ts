import { setMaxListeners } from 'node:events';
import { untilAborted } from '../shared/async/abort.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import { Permit, Semaphore } from '../shared/async/semaphore.ts';
import type { ToolCallMessage, ToolResultMessage } from '../protocol/messages.ts';
import type { CallDecision, CallGate } from '../tools/policy/policy-gate.ts';
import type { SessionFiles } from '../tools/session-files.ts';
import type { CallOrigin, CheckLevel } from '../tools/tool.ts';
import type { BudgetUse } from './limits/budget-use.ts';
import type { CallLimits } from '../protocol/frames.ts';
import { callLimits, type ExecutionBudgets } from './limits/execution-budgets.ts';
import type { CallLog } from '../calls/call-log.ts';
import type { CallRecorder } from '../calls/call-recorder.ts';
import { invokeTool, type ToolLookup } from '../calls/invoke-tool.ts';
import { OpenCalls } from '../calls/open-calls.ts';
import { ReceivedCall } from './received-call.ts';
import type { ToolOutcome } from '../calls/tool-outcome.ts';

/**
 * The answer to a call that a program makes after it was stopped, for example while it cleans up.
 */
const CALL_OF_ENDED_PROGRAM: ToolOutcome = {
  ok: false,
  failure: { type: 'Cancelled', message: 'the program that made this call has ended' },
};

/** Created once: an abort without a reason creates an error with a stack each time. */
const PROGRAM_ENDED = new Error('The program that made this call has ended.');

export interface ProgramCallsOptions {
  readonly origin: CallOrigin;
  readonly files: SessionFiles | undefined;
  readonly tools: ToolLookup;
  readonly policy: CallGate | undefined;
  /** Called with each decision of the policy. */
  readonly onDecision: (decision: CallDecision) => void;
  readonly recorder: CallRecorder;
  readonly callLog: CallLog | undefined;
  readonly checkResults: CheckLevel;
  readonly budgets: ExecutionBudgets;
  readonly used: BudgetUse;
  readonly answer: (result: ToolResultMessage) => void;
  /** Settles when the runner has read the earlier answers. Undefined if it has. */
  readonly taken: () => Promise<void> | undefined;
  /** Ends the sandbox, because of an error on the host. */
  readonly onFault: (error: PtcError) => void;
}

/** The tool calls of one program: which of them run at a time, and their answers. */
export class ProgramCalls {
  readonly #options: ProgramCallsOptions;
  readonly #ids: Set<string> = new Set();
  readonly #limits: CallLimits;
  readonly #semaphore: Semaphore;
  readonly #openCalls: OpenCalls = new OpenCalls();
  /** Aborts the calls in progress. A program that calls no tool needs none. */
  #abort: AbortController | undefined;
  #haveEnded = false;
  /** How long results were checked only to warn. */
  #warningMs = 0;

  constructor(options: ProgramCallsOptions) {
    this.#options = options;
    this.#limits = callLimits(options.budgets);
    this.#semaphore = new Semaphore(options.budgets.concurrentToolCalls);
  }

  /** How many calls the program made. */
  get count(): number {
    return this.#ids.size;
  }

  /**
   * Handles a call, and answers it.
   * @param line - The frame of the call.
   * @throws PtcError `PROTOCOL_VIOLATION` if the id was used before, `SANDBOX_LOST` if the program
   * continues to call long after it was stopped.
   */
  receive(message: ToolCallMessage, line: Buffer): void {
    if (this.#ids.has(message.call_id)) {
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox used the id of a tool call twice.');
    }
    this.#ids.add(message.call_id);
    const { used, origin, onFault } = this.#options;
    used.receive('toolCalls', 1);
    const call = new ReceivedCall(message, line, this.#limits, origin.tenant);
    this.#handle(call).catch((error: unknown) => onFault(failedHost(error)));
  }

  /** @throws PtcError `PROTOCOL_VIOLATION` if there was no such call. */
  giveUp(callId: string): void {
    if (!this.#ids.has(callId)) {
      throw new PtcError(
        'PROTOCOL_VIOLATION',
        'The sandbox gave up a tool call that it never made.',
      );
    }
    this.#openCalls.giveUp(callId);
  }

  /** Aborts the calls in progress. A later call fails at once instead of hanging. */
  end(): void {
    this.#haveEnded = true;
    this.#abort?.abort(PROGRAM_ENDED);
  }

  async #handle(call: ReceivedCall): Promise<void> {
    const permit = new Permit(this.#semaphore);
    const turn = permit.take();
    if (turn !== undefined) {
      call.pack();
      await turn;
    }
    try {
      // The arguments of a call whose program ended while it waited need not be parsed.
      const isOver = this.#haveEnded && call.isPacked;
      const waits = isOver ? undefined : this.#waitUntilReady(call);
      if (isOver || (waits !== undefined && !(await waits))) await this.#refuse(call);
      else await this.#run(call, permit);
    } finally {
      permit.release();
    }
  }

  /**
   * Returns undefined if the call can begin at once, as most can. Otherwise, returns a promise of
   * whether it can begin before its program ends. It waits until it is parsed and until there is
   * room for what it leads to: its events and audit entries.
   */
  #waitUntilReady(call: ReceivedCall): Promise<boolean> | undefined {
    const parsed = call.unpack();
    const isReady = parsed === undefined && this.#options.recorder.ready() === undefined;
    return isReady ? undefined : this.#untilReady(call, parsed);
  }

  async #untilReady(call: ReceivedCall, parsed: Promise<void> | undefined): Promise<boolean> {
    if (parsed !== undefined) await parsed;
    for (;;) {
      // Other calls that waited may have begun while this one was parsed.
      const ready = this.#options.recorder.ready();
      if (ready === undefined || this.#haveEnded) return true;
      call.pack();
      await untilAborted(ready, this.#signal());
      if (this.#haveEnded) return false;
      const unpacked = call.unpack();
      if (unpacked !== undefined) await unpacked;
    }
  }

  async #refuse(call: ReceivedCall): Promise<void> {
    const outcome = CALL_OF_ENDED_PROGRAM;
    await this.#options.recorder.neverStarted(call, outcome, this.#endOf(call));
    this.#answer(call, outcome);
  }

  async #run(call: ReceivedCall, permit: Permit): Promise<void> {
    const { recorder } = this.#options;
    recorder.started(call);
    const outcome = this.#bound(await this.#invoke(call, permit));
    await recorder.ended(call, outcome, this.#endOf(call));
    // The call keeps its permit, so that a program that reads no results gets no more of them.
    const taken = this.#options.taken();
    if (taken !== undefined) await untilAborted(taken, this.#signal());
    this.#answer(call, outcome);
  }

  #endOf({ receivedAt }: ReceivedCall): { durationMs: number; signal: AbortSignal } {
    return { durationMs: performance.now() - receivedAt, signal: this.#signal() };
  }

  #answer(call: ReceivedCall, outcome: ToolOutcome): void {
    // Its audit entry may wait longer than its program runs.
    if (this.#haveEnded) call.pack();
    this.#options.answer({
      kind: 'tool-result',
      call_id: call.callId,
      result: outcome.ok ? outcome.result : { text: 'null' },
      error: outcome.ok ? null : outcome.failure,
    });
  }

  async #invoke(call: ReceivedCall, permit: Permit): Promise<ToolOutcome> {
    // The arguments need not be checked.
    if (this.#haveEnded) return CALL_OF_ENDED_PROGRAM;
    if (call.refusal !== undefined) {
      return { ok: false, failure: { type: 'InvalidArguments', message: call.refusal } };
    }
    const { tools, origin, files, policy, recorder, callLog } = this.#options;
    const checkResults = (): CheckLevel => this.#checkResults();
    return invokeTool(tools, {
      toolName: call.toolName,
      get arguments() {
        return call.arguments;
      },
      caller: call.caller,
      callId: call.callId,
      origin,
      files,
      limits: this.#limits,
      signal: this.#signal(),
      permit,
      storage: call,
      openCalls: this.#openCalls,
      ready: () => recorder.ready(),
      log: callLog,
      policy,
      onDecision: this.#onDecision,
      onValidated: this.#onValidated,
      get checkResults() {
        return checkResults();
      },
      onResultChecked: this.#onResultChecked,
      onProgress: (progress) => recorder.progressed(call, progress),
    });
  }

  /** Once the program is stopped, its further calls are refused without a check. */
  readonly #onValidated = (durationMs: number): void => {
    this.#options.used.add('validationMs', durationMs);
  };

  /** Checks that only warn do not stop a program. They stop themselves. */
  #checkResults(): CheckLevel {
    const { checkResults, budgets } = this.#options;
    return checkResults === 'warn' && this.#warningMs > budgets.validationMs ? 'off' : checkResults;
  }

  readonly #onResultChecked = (durationMs: number): void => {
    if (this.#options.checkResults === 'warn') this.#warningMs += durationMs;
    else this.#options.used.add('validationMs', durationMs);
  };

  readonly #onDecision = (made: CallDecision): void => {
    this.#options.onDecision(made);
    this.#options.recorder.decided(made);
  };

  /** A result that exceeds the program's budget is not sent. */
  #bound(outcome: ToolOutcome): ToolOutcome {
    if (!outcome.ok) return outcome;
    const cause = this.#options.used.add('sentBytes', Buffer.byteLength(outcome.result.text));
    if (cause === undefined) return outcome;
    return { ok: false, failure: { type: cause.type, message: cause.message } };
  }

  #signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // Every call in progress listens to it, and there may be many.
      setMaxListeners(0, this.#abort.signal);
      if (this.#haveEnded) this.#abort.abort(PROGRAM_ENDED);
    }
    return this.#abort.signal;
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

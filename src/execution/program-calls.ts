import { setMaxListeners } from 'node:events';
import { untilAborted } from '../shared/async/abort.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import type { Permit } from '../shared/async/semaphore.ts';
import type { ToolCallMessage } from '../protocol/call-messages.ts';
import { observeResult } from '../tools/shapes/observed-shapes.ts';
import type { CallLimits } from '../protocol/frames.ts';
import { callLimits } from './limits/execution-budgets.ts';
import { CallPermits } from './call-permits.ts';
import { invokeTool } from '../calls/invoke-tool.ts';
import { OpenCalls } from '../calls/open-calls.ts';
import { DeferredCalls } from './deferred/deferred-calls.ts';
import { ProgramInvocations } from './program-invocations.ts';
import { ReceivedCall } from './received-call.ts';
import type { CallOutcome, ToolOutcome } from '../calls/tool-outcome.ts';
import type { ProgramCallsOptions } from './program-calls-options.ts';

/**
 * The answer to a call that a program makes after it was stopped, for example while it cleans up.
 */
const CALL_OF_ENDED_PROGRAM: ToolOutcome = {
  ok: false,
  failure: { type: 'Cancelled', message: 'the program that made this call has ended' },
};

/** Created once: an abort without a reason creates an error with a stack each time. */
const PROGRAM_ENDED = new Error('The program that made this call has ended.');

/** The tool calls of one program: which of them run at a time, and their answers. */
export class ProgramCalls {
  readonly #options: ProgramCallsOptions;
  readonly #ids: Set<string> = new Set();
  readonly #limits: CallLimits;
  readonly #permits: CallPermits;
  readonly #openCalls: OpenCalls = new OpenCalls();
  readonly #invocations: ProgramInvocations;
  /** Those that wait for the end of the program. */
  readonly deferred: DeferredCalls;
  /** Settles when the last of the calls that are not ready is. Undefined if all are. */
  #unready: Promise<boolean> | undefined;
  /** Aborts the calls in progress. A program that calls no tool needs none. */
  #abort: AbortController | undefined;
  #haveEnded = false;

  constructor(options: ProgramCallsOptions) {
    this.#options = options;
    this.#limits = callLimits(options.budgets);
    this.#invocations = new ProgramInvocations(options, this.#limits);
    this.deferred = new DeferredCalls(options, this.#invocations);
    const { budgets, policy, remote } = options;
    const { concurrentToolCalls } = budgets;
    this.#permits = new CallPermits({ concurrentToolCalls, remote, group: policy?.group });
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
    const call = new ReceivedCall(message, line, this.count, this.#limits, origin.tenant);
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
    const { tools, remote } = this.#options;
    const isRemote = remote !== undefined && tools.get(call.toolName)?.remote === true;
    const permit = this.#permits.of(call.callId, isRemote);
    const turn = permit.take();
    if (turn !== undefined) {
      call.pack();
      await turn;
    }
    try {
      // The arguments of a call whose program ended while it waited need not be parsed.
      const isOver = this.#haveEnded && call.isPacked;
      const waits = isOver ? undefined : this.#waitUntilReady(call);
      const isRefused = isOver || (waits !== undefined && !(await waits));
      if (this.#unready === waits) this.#unready = undefined;
      if (isRefused) await this.#refuse(call);
      else await this.#run(call, permit);
    } finally {
      permit.release();
    }
  }

  /**
   * Returns undefined if the call can begin at once, as most can. Otherwise, returns a promise of
   * whether it can begin before its program ends. It waits until it is parsed and until there is
   * room for what it leads to: its events and audit entries. Calls that came before begin before.
   */
  #waitUntilReady(call: ReceivedCall): Promise<boolean> | undefined {
    const before = this.#unready;
    if (before !== undefined) call.pack();
    const parsed = before === undefined ? call.unpack() : before.then(() => call.unpack());
    if (parsed === undefined && this.#options.recorder.ready() === undefined) return undefined;
    const waits = this.#untilReady(call, parsed);
    this.#unready = waits;
    return waits;
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
    const outcome = this.#kept(call, this.#bound(await this.#invoke(call, permit)));
    // A call that waited for a remote answer has released it.
    const turn = permit.take();
    if (turn !== undefined) await turn;
    // Its tool may have changed the arguments that it got. The audit log reads them from the frame.
    call.pack();
    // Of a deferred call, that is told when it is made.
    if (!isDeferred(outcome)) await recorder.ended(call, outcome, this.#endOf(call));
    // The call keeps its permit, so that a program that reads no results gets no more of them.
    const taken = this.#options.taken();
    if (taken !== undefined) await untilAborted(taken, this.#signal());
    this.#answer(call, outcome);
  }

  /**
   * Keeps what is needed later of a call: the shape of its result, or the call, if it is deferred.
   * Its program may have ended meanwhile.
   */
  #kept(call: ReceivedCall, outcome: CallOutcome): CallOutcome {
    if (!outcome.ok) return outcome;
    const { deferred, result } = outcome;
    if (deferred === undefined) this.#keepShape(call.toolName, result.text);
    else if (this.#haveEnded) return CALL_OF_ENDED_PROGRAM;
    else {
      this.#options.recorder.deferred(call, deferred);
      this.deferred.add(call, deferred);
    }
    return outcome;
  }

  /** The shape of a result is for this program, if it fails, and for later conversations. */
  #keepShape(toolName: string, text: string): void {
    const { results, tools } = this.#options;
    const tool = results && tools.get(toolName);
    if (tool === undefined) return;
    results?.add(toolName, text);
    observeResult(tool, text);
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

  async #invoke(call: ReceivedCall, permit: Permit): Promise<CallOutcome> {
    // The arguments need not be checked.
    if (this.#haveEnded) return CALL_OF_ENDED_PROGRAM;
    if (call.refusal !== undefined) {
      return { ok: false, failure: { type: 'InvalidArguments', message: call.refusal } };
    }
    const { tools, policy, remote } = this.#options;
    const invocation = this.#invocations.ofProgram(call, {
      signal: this.#signal(),
      permit,
      openCalls: this.#openCalls,
      deferrals: policy && this.deferred.places,
      remote,
      onAdmitted: () => policy?.group?.arrived(call.callId),
    });
    return invokeTool(tools, invocation);
  }

  /** A result that exceeds the program's budget is not sent. */
  #bound(outcome: CallOutcome): CallOutcome {
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

function isDeferred(outcome: CallOutcome): boolean {
  return outcome.ok && outcome.deferred !== undefined;
}

/** The error that ends a session if the host fails while it answers a call. */
function failedHost(cause: unknown): PtcError {
  return new PtcError(
    'SANDBOX_LOST',
    `The host failed while it answered a tool call, so it ended the session: ${messageOf(cause)}`,
    { cause },
  );
}

import { setMaxListeners } from 'node:events';
import { createDeferred, type Deferred } from '../shared/deferred.ts';
import { PtcError } from '../shared/errors.ts';
import type {
  HostMessage,
  OutcomeMessage,
  OutputChunkMessage,
  OutputStream,
  ToolCallMessage,
} from '../protocol/messages.ts';
import { CapturedOutput } from './captured-output.ts';
import type { ExecutionEvent } from './execution.ts';
import { invokeTool, type ToolLookup } from './invoke-tool.ts';

/** Made once: an abort without a reason makes an error with a stack each time. */
const RUN_ENDED = new Error('The run that made this call has ended.');

/** Why a run was told to stop. */
export type StopCause = 'timeout' | 'cancelled';

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
  readonly outputLimitBytes: number;
  readonly send: (message: HostMessage) => void;
  readonly onEvent: ((event: ExecutionEvent) => void) | undefined;
}

/** One program under way: what it printed, its tool calls, how it ends. */
export class Run {
  readonly executionId: string;
  readonly output: Record<OutputStream, CapturedOutput>;
  readonly #options: RunOptions;
  readonly #end: Deferred<RunEnd> = createDeferred();
  readonly #callIds: Set<string> = new Set();
  /** Ends the calls under way. A run that calls no tool needs none. */
  #toolAbort: AbortController | undefined;
  #callsEnded = false;
  #over = false;
  #stopCause: StopCause | undefined;

  constructor(options: RunOptions) {
    this.executionId = options.executionId;
    this.#options = options;
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

  onChunk(message: OutputChunkMessage): void {
    const text = this.output[message.stream].add(message.text, message.omitted_bytes);
    this.#options.onEvent?.({ type: 'output', stream: message.stream, text });
  }

  onOutcome(outcome: OutcomeMessage): void {
    this.#finish({ outcome, stopCause: this.#stopCause, lost: undefined });
  }

  /** The sandbox is gone. */
  onLost(lost: Error): void {
    this.#finish({ outcome: undefined, stopCause: this.#stopCause, lost });
  }

  /** @throws PtcError `PROTOCOL_VIOLATION` for an id that was used before. */
  onToolCall(message: ToolCallMessage): void {
    if (this.#callIds.has(message.call_id)) {
      throw new PtcError('PROTOCOL_VIOLATION', 'The sandbox used the id of a tool call twice.');
    }
    this.#callIds.add(message.call_id);
    void this.#answer(message);
  }

  async #answer(call: ToolCallMessage): Promise<void> {
    const { tools, sessionId, onEvent, send } = this.#options;
    const callId = call.call_id;
    const toolName = call.tool_name;
    const started = performance.now();
    onEvent?.({ type: 'tool-call', callId, toolName, arguments: call.arguments });
    const outcome = await invokeTool(tools, {
      toolName,
      arguments: call.arguments,
      caller: 'code',
      callId,
      sessionId,
      signal: this.#toolSignal(),
    });
    onEvent?.({
      type: 'tool-result',
      callId,
      toolName,
      durationMs: performance.now() - started,
      resultLength: outcome.ok ? outcome.result.text.length : outcome.failure.message.length,
      error: outcome.ok ? undefined : outcome.failure,
    });
    if (this.#over) return;
    send({
      kind: 'tool-result',
      call_id: callId,
      result: outcome.ok ? outcome.result : { text: 'null' },
      error: outcome.ok ? null : outcome.failure,
    });
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

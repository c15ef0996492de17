import { createDeferred, type Deferred } from '../shared/deferred.ts';
import { asError, PtcError } from '../shared/errors.ts';
import { guardedListener } from '../shared/guarded-listener.ts';
import { PROTOCOL_VERSION } from '../protocol/messages.ts';
import type { AttachedMessage, LanguageName, ReadyMessage } from '../protocol/messages.ts';
import type { RunnerMessage, ToolStub } from '../protocol/messages.ts';
import type { Transport } from '../protocol/transport.ts';
import { RunTrail } from './audit-trail.ts';
import { Attachment } from './attachment.ts';
import { describeRun } from './describe-run.ts';
import type { ExecutionResult } from './execution.ts';
import type { ExecuteRequest, InterpreterOptions } from './interpreter-options.ts';
import { Run } from './run.ts';
import { callLimits } from './run-budgets.ts';
import { CANCEL_GRACE_MS, RunWatch } from './run-watch.ts';

/** A runner may have sent so many bytes before it could know that its run was over: a few of the largest frames. */
const MAX_STALE_BYTES = 64 * 1024 * 1024;

/**
 * The host's side of one runner: waits until it is ready, has it run one program at a time and
 * keeps it to the protocol. Whatever the protocol does not allow ends the runner, and it alone.
 */
export class Interpreter {
  readonly #transport: Transport;
  readonly #options: InterpreterOptions;
  readonly #ready: Deferred<ReadyMessage> = createDeferred();
  readonly #attachment: Attachment;
  readonly #ended: Deferred<void> = createDeferred();
  #run: Run | undefined;
  #executions = 0;
  #isReady = false;
  #staleBytes = 0;
  #closed: { readonly error: Error | undefined } | undefined;

  constructor(transport: Transport, options: InterpreterOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#attachment = new Attachment(options.attachAsked === true);
    // Who waits for readiness hears of a failure; a runner that nobody waits for may fail unheard.
    this.#ready.promise.catch(() => {});
    this.#attachment.answer.promise.catch(() => {});
    const listener = {
      message: (message: RunnerMessage, line: Buffer) => this.#onMessage(message, line),
      closed: (error: Error | undefined) => this.#onClosed(error),
    };
    transport.listen(listener, callLimits(options.budgets));
  }

  /** Whether it can run another program. */
  get open(): boolean {
    return this.#closed === undefined;
  }

  /** Settles when the runner is gone, for whatever reason. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Waits until the runner is there.
   * @throws PtcError `SANDBOX_START_FAILED`, with what the sandbox printed instead, or `ABORTED`.
   */
  async ready(signal?: AbortSignal): Promise<void> {
    const { protocol } = await this.#first(this.#ready, signal);
    if (protocol !== PROTOCOL_VERSION) {
      throw new PtcError(
        'SANDBOX_START_FAILED',
        `The runner in the sandbox speaks protocol ${protocol}, this host ${PROTOCOL_VERSION}. Use an image made for this version.`,
      );
    }
  }

  /**
   * Takes the runner over from an earlier host. A program that was under way is stopped.
   * @param idleLimitMs - After this time without a run the sandbox ends by itself.
   * @returns how the earlier host left it.
   * @throws PtcError as `ready` does.
   */
  async attach(idleLimitMs: number, signal?: AbortSignal): Promise<AttachedMessage> {
    this.#transport.send(this.#attachment.takeOver(idleLimitMs));
    return this.#first(this.#attachment.answer, signal);
  }

  /** Has the time begin anew after which a sandbox ends by itself. No program may be under way. */
  renew(idleLimitMs: number): void {
    this.#transport.send(this.#attachment.renew(idleLimitMs));
  }

  /** Waits for a runner's first word, for as long as a start may take. */
  async #first<Message>(
    word: Deferred<Message>,
    signal: AbortSignal | undefined,
  ): Promise<Message> {
    const { startTimeoutMs } = this.#options;
    const onAbort = (): void =>
      word.reject(new PtcError('ABORTED', 'The start of the sandbox was aborted.'));
    const timer = setTimeout(
      () => this.#failStart(`it was not ready within ${startTimeoutMs} ms`),
      startTimeoutMs,
    );
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted === true) onAbort();
    try {
      return await word.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Gives a language's interpreter its tools and limits; again where the tools have changed. */
  configure(language: LanguageName, tools: readonly ToolStub[]): void {
    const { outputLimitBytes, budgets } = this.#options;
    this.#transport.send({
      kind: 'configure',
      language,
      tools,
      output_limit_bytes: outputLimitBytes,
      call_limit_bytes: budgets.callBytes,
      call_limit_values: budgets.callValues,
      cancel_grace_ms: CANCEL_GRACE_MS,
    });
  }

  /** Runs a program to its end, whatever that is. The caller sees to it that none runs already. */
  async execute(request: ExecuteRequest): Promise<ExecutionResult> {
    const started = performance.now();
    const { sessionId } = request.origin;
    const { outputLimitBytes, budgets } = this.#options;
    const executionId = String(++this.#executions);
    const audit =
      request.audit && new RunTrail(request.audit, { ...request, sessionId }, executionId);
    const run = new Run({
      executionId,
      origin: request.origin,
      tools: request.tools,
      policy: request.policy?.forRun(),
      onDecision: (decision) => watch.onDecision(decision),
      audit,
      callLog: request.callLog,
      outputLimitBytes,
      budgets,
      send: (message) => this.#transport.send(message),
      onExcess: (cause) => watch.stop(cause),
      onFault: (error) => this.#end(error),
      onEvent: request.onEvent && guardedListener(request.onEvent),
    });
    const watch = new RunWatch({
      timeoutMs: request.timeoutMs,
      signal: request.signal,
      interrupt: (cause) => run.stop(cause),
      end: (error) => this.#end(error),
      approvalTimeoutMs: request.policy?.approvalTimeoutMs ?? 0,
      extend: (limitMs) => this.#extend(executionId, limitMs),
    });
    this.#run = run;
    this.#staleBytes = 0;
    this.#transport.send({
      kind: 'execute',
      execution_id: run.executionId,
      language: request.language,
      code: request.code,
      time_limit_ms: request.timeoutMs,
    });
    watch.begin();
    if (this.#closed) this.#onClosed(this.#closed.error);
    const end = await run.end;
    watch.release();
    this.#run = undefined;
    if (end.outcome?.interpreter_end != null) this.#transport.destroy();
    const value = end.outcome?.value ?? null;
    if (value !== null && this.#options.showLastValue && this.open) run.showValue(value);
    const description = describeRun(end);
    const result = {
      ...description,
      success: description.status === 'ok',
      stdout: run.output.stdout.text,
      stderr: run.output.stderr.text,
      toolCalls: run.toolCalls,
      durationMs: performance.now() - started,
      truncated: run.output.stdout.truncated || run.output.stderr.truncated,
      sessionId,
      sessionOpen: this.open,
    };
    await audit?.runEnded(result, request.signal);
    return result;
  }

  /** Has a runner know when it may stop the program where it has no host. */
  #extend(execution_id: string, limitMs: number): void {
    this.#transport.send({ kind: 'extend', execution_id, time_limit_ms: Math.ceil(limitMs) });
  }

  #onMessage(message: RunnerMessage, line: Buffer): void {
    try {
      this.#dispatch(message, line);
    } catch (error) {
      this.#end(asError(error));
    }
  }

  /** @throws PtcError `PROTOCOL_VIOLATION` for what a runner may not say now. */
  #dispatch(message: RunnerMessage, line: Buffer): void {
    if (message.kind === 'ready') {
      if (this.#isReady) throw violation('it was ready twice');
      this.#isReady = true;
      this.#ready.resolve(message);
    } else if (message.kind === 'attached') {
      this.#onAttached(message, line.length);
    } else if (message.execution_id === this.#run?.executionId) {
      this.#run.onMessage(message, line);
    } else {
      this.#dropStale(message.execution_id, line.length);
    }
  }

  #onAttached(message: AttachedMessage, bytes: number): void {
    if (!this.#attachment.asked) throw violation('it was attached and nobody had asked');
    if (this.#attachment.isTakenOver(message)) this.#executions = message.executions;
    else this.#countStale(bytes);
  }

  #countStale(bytes: number): void {
    this.#staleBytes += bytes;
    if (this.#staleBytes > MAX_STALE_BYTES)
      throw violation('it went on when nothing was to be said');
  }

  /**
   * What comes after a run's outcome belongs to nobody: a call on one stream may be overtaken by the
   * outcome on the other, and a sandbox that is being taken over speaks of its last host's run.
   */
  #dropStale(executionId: string, bytes: number): void {
    const given = /^\d{1,15}$/.test(executionId) && Number(executionId) <= this.#executions;
    if (!given && !this.#attachment.isTakingOver) {
      throw violation('it spoke of an execution that it was never given');
    }
    this.#countStale(bytes);
  }

  #end(error: Error): void {
    if (this.#closed) return;
    this.#onClosed(error);
    this.#transport.destroy();
  }

  #onClosed(error: Error | undefined): void {
    this.#closed ??= { error };
    this.#ended.resolve();
    this.#failStart('it ended at once');
    this.#run?.onLost(
      this.#closed.error ?? new PtcError('SANDBOX_LOST', 'The sandbox ended during the run.'),
    );
  }

  #failStart(what: string): void {
    const printed = this.#transport.diagnostics();
    const message = `The sandbox did not start: ${what}${printed === '' ? '' : `. It printed: ${printed}`}`;
    const error = new PtcError('SANDBOX_START_FAILED', message, {
      details: { printed },
      cause: this.#closed?.error,
    });
    this.#ready.reject(error);
    this.#attachment.answer.reject(error);
  }
}

function violation(what: string): PtcError {
  return new PtcError('PROTOCOL_VIOLATION', `The sandbox broke the protocol: ${what}.`);
}

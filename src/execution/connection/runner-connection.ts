import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { asError, PtcError } from '../../shared/errors.ts';
import { PROTOCOL_VERSION } from '../../protocol/messages.ts';
import type { FileAnswerMessage } from '../../protocol/file-messages.ts';
import type { AttachedMessage, ConfiguredMessage } from '../../protocol/messages.ts';
import type { ExecuteMessage, HostMessage, LanguageName } from '../../protocol/messages.ts';
import type { OutcomeMessage, ReadyMessage, RunnerMessage } from '../../protocol/messages.ts';
import type { ToolStub } from '../../protocol/messages.ts';
import type { Transport } from '../../protocol/transport.ts';
import { Attachment } from './attachment.ts';
import { StaleMessages } from './stale-messages.ts';
import { violation } from './violation.ts';
import { FileRequests } from '../files/file-requests.ts';
import { InterpreterVersions } from './interpreter-versions.ts';
import { ProgramReading } from './program-reading.ts';
import type { RunnerConnectionOptions } from './runner-connection-options.ts';
import type { RunningProgram } from './running-program.ts';
import { callLimits } from '../limits/execution-budgets.ts';
import { CANCEL_GRACE_MS, CANCEL_LIMIT_MS } from '../limits/execution-clock.ts';

/**
 * The host's side of one runner. It waits until the runner is ready, gives it one program at a time,
 * and checks that the runner keeps to the protocol. A violation ends this runner and no other.
 */
export class RunnerConnection {
  readonly options: RunnerConnectionOptions;
  /** The requests about the files of its sandbox. */
  readonly files: FileRequests;
  readonly #transport: Transport;
  readonly #ready: Deferred<ReadyMessage> = createDeferred();
  readonly #attachment: Attachment;
  readonly #versions: InterpreterVersions = new InterpreterVersions();
  readonly #ended: Deferred<void> = createDeferred();
  readonly #firstProgram: Deferred<void> = createDeferred();
  #current: RunningProgram | undefined;
  #executions = 0;
  #isReady = false;
  readonly #stale: StaleMessages = new StaleMessages();
  readonly #reading: ProgramReading;
  #closed: { readonly error: Error | undefined } | undefined;

  constructor(transport: Transport, options: RunnerConnectionOptions) {
    this.#transport = transport;
    this.options = options;
    this.#reading = new ProgramReading(transport);
    this.#attachment = new Attachment(options.attachAsked === true);
    this.files = new FileRequests(transport, (error) => this.fail(error));
    // Callers that wait get the error. Without these handlers, a failure that nothing waits for
    // would end the process.
    this.#ready.promise.catch(() => {});
    this.#attachment.answer.promise.catch(() => {});
    const listener = {
      message: (message: RunnerMessage, line: Buffer) => this.#onMessage(message, line),
      closed: (error: Error | undefined) => this.#onClosed(error),
      tenant: () => this.#current?.tenant,
    };
    transport.listen(listener, callLimits(options.budgets));
  }

  /** Whether it can run another program. */
  get open(): boolean {
    return this.#closed === undefined;
  }

  /** Whether the runner has a program, which has not ended. */
  get hasProgram(): boolean {
    return this.#current !== undefined;
  }

  /** Settles when the runner has ended, for any reason. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Settles when the first program has ended, or the runner. */
  get firstProgram(): Promise<void> {
    return this.#firstProgram.promise;
  }

  /**
   * Waits until the runner is ready.
   * @throws PtcError `SANDBOX_START_FAILED`, with what the sandbox printed, or `ABORTED`.
   */
  async ready(signal?: AbortSignal): Promise<void> {
    const { protocol } = await this.#firstMessage(this.#ready, signal);
    if (protocol !== PROTOCOL_VERSION) {
      throw new PtcError(
        'SANDBOX_START_FAILED',
        `The runner in the sandbox uses version ${protocol} of the protocol, and this host version ${PROTOCOL_VERSION}. Use an image that was built for this version of the package.`,
      );
    }
  }

  /**
   * Takes over the runner of an earlier host. A program that still runs is stopped.
   * @param idleLimitMs - The sandbox ends itself if no program runs for this long.
   * @returns the state in which the earlier host left it.
   * @throws PtcError as `ready` does.
   */
  async attach(idleLimitMs: number, signal?: AbortSignal): Promise<AttachedMessage> {
    this.#transport.send(this.#attachment.takeOver(idleLimitMs));
    return this.#firstMessage(this.#attachment.answer, signal);
  }

  /** Restarts the time after which an idle sandbox ends itself. No program may be running. */
  renew(idleLimitMs: number): void {
    this.#transport.send(this.#attachment.renew(idleLimitMs));
  }

  /** Waits for the first message of a runner, up to the time limit of a start. */
  async #firstMessage<Message>(
    message: Deferred<Message>,
    signal: AbortSignal | undefined,
  ): Promise<Message> {
    const { startTimeoutMs } = this.options;
    const onAbort = (): void =>
      message.reject(new PtcError('ABORTED', 'The start of the sandbox was aborted.'));
    const timer = setTimeout(
      () => this.#failStart(`it was not ready within ${startTimeoutMs} ms`),
      startTimeoutMs,
    );
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted === true) onAbort();
    try {
      return await message.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Sends a language's interpreter its tools and limits. Call it again if the tools change. */
  configure(language: LanguageName, tools: readonly ToolStub[]): void {
    const { maxOutputBytes, budgets } = this.options;
    this.#versions.ask(language);
    this.#transport.send({
      kind: 'configure',
      language,
      tools,
      output_limit_bytes: maxOutputBytes,
      call_limit_bytes: budgets.callBytes,
      call_limit_values: budgets.callValues,
      cancel_grace_ms: CANCEL_GRACE_MS,
      cancel_limit_ms: CANCEL_LIMIT_MS,
    });
  }

  /**
   * The version of a configured language's interpreter, such as `20.19.2`, when it has loaded.
   * Undefined if it does not tell, or has not loaded within the time limit of a start.
   */
  async interpreterVersion(language: LanguageName): Promise<string | undefined> {
    return this.#versions.of(language, this.options.startTimeoutMs);
  }

  /** The id of the next program. */
  nextExecutionId(): string {
    return String(++this.#executions);
  }

  /** Sends a program, which gets the messages about it from now on. No other program may be running. */
  begin(program: RunningProgram, sent: Omit<ExecuteMessage, 'kind' | 'execution_id'>): void {
    this.#current = program;
    this.#stale.reset();
    const execution_id = program.executionId;
    this.send({ kind: 'execute', execution_id, ...sent });
    this.#reading.begin();
  }

  send(message: HostMessage): void {
    this.#transport.send(message);
  }

  /** Settles when the runner has read most of what was sent. Undefined if it has. */
  get taken(): Promise<void> | undefined {
    return this.#transport.taken;
  }

  /** The program has ended. If its interpreter ended too, the sandbox is of no more use. */
  finish(outcome: OutcomeMessage | undefined): void {
    this.#current = undefined;
    this.#firstProgram.resolve();
    if (outcome?.interpreter_end != null) this.#transport.destroy();
  }

  /** Why a program is lost: the runner has ended. Undefined if it has not. */
  get lost(): Error | undefined {
    if (this.open) return undefined;
    return (
      this.#closed?.error ??
      new PtcError('SANDBOX_LOST', 'The sandbox ended while the program ran.')
    );
  }

  /** Ends the runner: it broke the protocol, the host failed, or its program does not stop. */
  fail(error: Error): void {
    if (this.#closed) return;
    this.leave(error);
    this.#transport.destroy();
  }

  /**
   * Ends only the use of the runner here: a program gets this error as its end, and the runner is
   * told nothing. Whoever calls this closes the streams.
   */
  leave(error: Error): void {
    if (!this.#closed) this.#onClosed(error);
  }

  #onMessage(message: RunnerMessage, line: Buffer): void {
    try {
      this.#dispatch(message, line);
    } catch (error) {
      this.fail(asError(error));
    }
  }

  /** @throws PtcError `PROTOCOL_VIOLATION` for a message that a runner may not send now. */
  #dispatch(message: RunnerMessage, line: Buffer): void {
    if (message.kind === 'ready') {
      if (this.#isReady) throw violation('it sent ready twice');
      this.#isReady = true;
      this.#ready.resolve(message);
    } else if (message.kind === 'attached') {
      this.#onAttached(message, line.length);
    } else if (message.kind === 'configured') {
      this.#onConfigured(message, line.length);
    } else if (message.kind === 'file-answer') {
      this.#onFileAnswer(message, line.length);
    } else if (message.execution_id === this.#current?.executionId) {
      if (message.kind === 'outcome' && this.#reading.isUnread) {
        throw violation('it ended a program that it had not read');
      }
      this.#current.onMessage(message, line);
    } else {
      this.#dropStale(message.execution_id, line.length);
    }
  }

  #onAttached(message: AttachedMessage, bytes: number): void {
    if (!this.#attachment.asked) throw violation('it sent attached, but the host had not asked');
    if (this.#attachment.isTakenOver(message)) this.#executions = message.executions;
    else this.#stale.count(bytes);
  }

  #onConfigured(message: ConfiguredMessage, bytes: number): void {
    // The answer to an earlier host may arrive.
    if (!this.#versions.tell(message) && !this.#attachment.asked) {
      throw violation('it sent configured, but the host had not asked');
    }
    this.#stale.count(bytes);
  }

  #onFileAnswer(message: FileAnswerMessage, bytes: number): void {
    if (this.files.answered(message)) return;
    // The answer to an earlier host may arrive.
    if (!this.#attachment.asked) throw violation('it answered a request that was never made');
    this.#stale.count(bytes);
  }

  /**
   * Drops messages that arrive after the outcome of their program. The outcome on one stream may
   * overtake a call on the other, and a sandbox that is being taken over sends messages about the
   * program of its last host.
   */
  #dropStale(executionId: string, bytes: number): void {
    const given = /^\d{1,15}$/.test(executionId) && Number(executionId) <= this.#executions;
    if (!given && !this.#attachment.isTakingOver) {
      throw violation('it named an execution that it was never given');
    }
    this.#stale.count(bytes);
  }

  #onClosed(error: Error | undefined): void {
    this.#closed ??= { error };
    this.#firstProgram.resolve();
    this.#ended.resolve();
    this.#versions.end();
    this.files.end(error);
    this.#failStart('it ended at once');
    if (this.lost !== undefined) this.#current?.onLost(this.lost);
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

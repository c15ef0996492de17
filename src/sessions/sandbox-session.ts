import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import type { ExecutionResult } from '../execution/execution.ts';
import type { Language } from '../languages/language.ts';
import type { ProgramRefusal, SessionChecker } from '../languages/program-checker.ts';
import { unlessAborted, untilAborted } from '../shared/abort.ts';
import { inBackground } from '../shared/background.ts';
import { createDeferred, type Deferred } from '../shared/deferred.ts';
import { PtcError } from '../shared/errors.ts';
import { inTurn } from '../shared/turn.ts';
import type { CallOrigin, Tool } from '../tools/tool.ts';
import type { ToolStub } from '../protocol/messages.ts';
import {
  explainClose,
  type SessionCloseReason,
  type SessionInfo,
  type SessionState,
} from './session-info.ts';
import type { SessionLabels } from './executor-options.ts';
import type { SessionOptions, SessionRunOptions } from './session-options.ts';
import { refusedResult } from './refused-result.ts';
import type { StartedSandbox } from './started-sandbox.ts';

/** One sandbox and the interpreter in it. Its runs queue. */
export class SandboxSession {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: SessionLabels;
  /** As `Session.stateId`. What engines call sandboxes that end with their process may come again. */
  readonly stateId: string;
  readonly #options: SessionOptions;
  readonly #sandbox: StartedSandbox;
  readonly #queue: PQueue = new PQueue({ concurrency: 1 });
  // On the monotonic clock, which a changed wall clock does not move.
  readonly #created: number = performance.now();
  #lastUsed: number = this.#created;
  /** What the interpreter of each language was told of the tools. */
  readonly #configuredStubs: Map<Language, readonly ToolStub[]> = new Map();
  readonly #checker: SessionChecker | undefined;
  #runs: number;
  #toolCalls = 0;
  readonly #closeSignal: AbortController = new AbortController();
  #closeReason: SessionCloseReason | undefined;
  readonly #closing: Deferred<SessionCloseReason> = createDeferred();
  readonly #gone: Deferred<void> = createDeferred();
  #isGone = false;

  constructor(sandbox: StartedSandbox, options: SessionOptions) {
    this.id = options.id;
    this.key = options.key;
    this.labels = options.labels;
    this.stateId = sandbox.persistent ? sandbox.id : randomUUID();
    this.#options = options;
    this.#sandbox = sandbox;
    this.#runs = sandbox.past?.runs ?? 0;
    this.#checker = options.checker?.follow(sandbox.past !== undefined);
    const { id: sessionId, labels } = this;
    const opened = { provider: sandbox.provider, resumed: this.#resumed(), labels };
    options.audit?.record({ type: 'session-opened', sessionId, ...opened });
    inBackground(this.#closeWhenLost());
  }

  get state(): SessionState {
    if (this.#isGone) return 'closed';
    if (this.#closeReason !== undefined || !this.#sandbox.interpreter.open) return 'closing';
    return this.#queue.pending + this.#queue.size > 0 ? 'busy' : 'idle';
  }

  /** Whether it takes programs: it is open, and not expired. */
  get usable(): boolean {
    const { state } = this;
    return state === 'busy' || (state === 'idle' && !this.expired);
  }

  get closeReason(): SessionCloseReason | undefined {
    return this.#closeReason;
  }

  /** Whether it outlives its host. */
  get persistent(): boolean {
    return this.#sandbox.persistent;
  }

  /** On the monotonic clock. */
  get lastUsed(): number {
    return this.#lastUsed;
  }

  /** Settles when it begins to close, with the reason. */
  get closing(): Promise<SessionCloseReason> {
    return this.#closing.promise;
  }

  /** Settles when its sandbox is gone. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Whether nobody used it for longer than its time to live. A busy session never is. */
  get expired(): boolean {
    const unusedMs = performance.now() - this.#lastUsed;
    return this.state !== 'busy' && unusedMs >= this.#options.timeoutMs;
  }

  info(): SessionInfo {
    return {
      id: this.id,
      key: this.key,
      labels: this.labels,
      state: this.state,
      closeReason: this.#closeReason,
      provider: this.#sandbox.provider,
      sandboxId: this.#sandbox.id,
      createdAtMs: wallTime(this.#created),
      lastUsedAtMs: wallTime(this.#lastUsed),
      expiresAtMs: wallTime(this.#lastUsed + this.#options.timeoutMs),
      runs: this.#runs,
      toolCalls: this.#toolCalls,
      persistent: this.persistent,
      resumed: this.#resumed(),
      startMs: this.#options.startMs,
      fromPool: this.#options.fromPool,
      memoryBytes: undefined,
    };
  }

  /** The same, with the memory that its sandbox takes. */
  async measuredInfo(): Promise<SessionInfo> {
    const memoryBytes = this.usable ? await this.#sandbox.memoryUsage() : undefined;
    return { ...this.info(), memoryBytes };
  }

  /** Its time to live counts from now on again. */
  touch(): void {
    this.#lastUsed = performance.now();
    // A run renews it by its end.
    if (this.state === 'idle') this.#sandbox.renew();
  }

  /**
   * Runs a program after those that wait already.
   * @throws PtcError `CLOSED` where the session is closed before the program's turn, `ABORTED`
   * where the caller aborts before it.
   */
  async execute(code: string, options: SessionRunOptions): Promise<ExecutionResult> {
    const { signal } = options;
    try {
      return await inTurn(this.#queue, async () => this.#run(code, options), { signal });
    } catch (error) {
      if (signal?.aborted !== true || PtcError.isInstance(error)) throw error;
      throw abortedBeforeStart(signal);
    }
  }

  /**
   * Ends the session, a program that runs in it included, and returns when its sandbox is gone.
   * @param reason - Counts where it is the first.
   */
  async close(reason: SessionCloseReason): Promise<void> {
    if (this.#closeReason === undefined) {
      this.#beginClose(reason);
      inBackground(this.#sandbox.close().finally(() => this.#end()));
    }
    await this.#gone.promise;
  }

  /** Closes it because its host closes, a program under way included. The sandbox of a persistent one goes on. */
  async leave(): Promise<void> {
    if (!this.persistent) return this.close('closed');
    if (this.#closeReason === undefined) {
      this.#beginClose('left');
      // Its program is interrupted; one that does not stop is ended, and the sandbox with it.
      const detached = this.#queue.onIdle().then(() => this.#sandbox.detach());
      inBackground(detached.finally(() => this.#end()));
    }
    await this.#gone.promise;
  }

  #beginClose(reason: SessionCloseReason): void {
    this.#closeReason = reason;
    this.#closing.resolve(reason);
    this.#options.audit?.record({ type: 'session-closed', sessionId: this.id, reason });
    this.#closeSignal.abort();
  }

  #end(): void {
    this.#isGone = true;
    this.#gone.resolve();
  }

  #resumed(): SessionInfo['resumed'] {
    const { past } = this.#sandbox;
    return past && (past.interrupted ? 'interrupted' : 'idle');
  }

  async #run(code: string, options: SessionRunOptions): Promise<ExecutionResult> {
    const started = performance.now();
    const program = options.language.program(code);
    const refusal = await this.#check(program, options);
    if (options.signal?.aborted === true) {
      throw abortedBeforeStart(options.signal);
    }
    const { interpreter } = this.#sandbox;
    if (this.#closeReason !== undefined || !interpreter.open) {
      const reason = this.#closeReason ?? 'sandbox-lost';
      const message = `Session ${this.id} is closed: ${explainClose(reason)}. Start a new one.`;
      throw new PtcError('CLOSED', message, { details: { sessionId: this.id, reason } });
    }
    if (refusal !== undefined) {
      this.touch();
      const durationMs = performance.now() - started;
      const { name } = options.language;
      const about = { sessionId: this.id, language: name, code: program, error: refusal.type };
      this.#options.audit?.record({ type: 'run-refused', ...about, durationMs });
      const recorded = this.#options.audit?.ready();
      if (recorded !== undefined) await untilAborted(recorded, this.#stopSignal(options.signal));
      return refusedResult(refusal, this.id, durationMs);
    }
    const { audit } = this.#options;
    const { language } = options;
    this.#configure(language, options.tools.forCaller('code'));
    const { signal } = options;
    const result = await interpreter.execute({
      ...options,
      audit,
      origin: this.#origin(options),
      language: language.name,
      code: program,
      signal: this.#stopSignal(signal),
    });
    if (!result.success) this.#checker?.lastFailed();
    this.#runs += 1;
    this.#toolCalls += result.toolCalls;
    this.touch();
    if (result.sessionOpen) return result;
    // Whoever closed it already waits for the sandbox; the result need not.
    if (this.#closeReason === undefined) {
      const closed = this.close(reasonOf(result));
      // Who aborts wants to go on; `SandboxExecutor.close` waits for the rest.
      if (signal?.aborted !== true) await closed;
    }
    return result;
  }

  #origin({ labels, runId, context }: SessionRunOptions): CallOrigin & { sessionId: string } {
    const { id: sessionId, key: sessionKey } = this;
    const all = Object.freeze({ ...this.labels, ...labels });
    return { sessionId, sessionKey, labels: all, runId, context };
  }

  async #closeWhenLost(): Promise<void> {
    await this.#sandbox.interpreter.ended;
    // Where a program runs, its result knows better why the sandbox ended, and closes.
    if (this.#queue.pending === 0) await this.close('sandbox-lost');
  }

  /** Says why a program must not run, unless the caller or the session's end has it not run anyway. */
  async #check(
    program: string,
    { language, tools, signal }: SessionRunOptions,
  ): Promise<ProgramRefusal | undefined> {
    if (this.#checker === undefined || !this.usable) return undefined;
    const checking = this.#checker.check(language.name, program, tools.forCaller('code'));
    return unlessAborted(checking, this.#stopSignal(signal)).catch(() => undefined);
  }

  /** Fires when the caller aborts or the session closes. */
  #stopSignal(signal: AbortSignal | undefined): AbortSignal {
    const { signal: closing } = this.#closeSignal;
    return signal ? AbortSignal.any([closing, signal]) : closing;
  }

  /** Tells an interpreter of its tools, where they are not those it knows. */
  #configure(language: Language, tools: readonly Tool[]): void {
    const stubs = language.stubs(tools);
    if (stubs === this.#configuredStubs.get(language)) return;
    this.#configuredStubs.set(language, stubs);
    this.#sandbox.interpreter.configure(language.name, stubs);
  }
}

function abortedBeforeStart({ reason }: AbortSignal): PtcError {
  return new PtcError('ABORTED', 'The run was aborted before it started.', { cause: reason });
}

/** Why a session ended with this run. */
function reasonOf({ status }: ExecutionResult): SessionCloseReason {
  return status === 'ok' || status === 'error' ? 'sandbox-lost' : status;
}

function wallTime(monotonic: number): number {
  return Math.round(performance.timeOrigin + monotonic);
}

import { randomUUID } from 'node:crypto';
import type { RunnerConnection } from '../../execution/connection/runner-connection.ts';
import type { ExecutionResult } from '../../execution/execution.ts';
import type { Language } from '../../languages/language.ts';
import type { ProgramRefusal, SessionChecker } from '../../languages/program-checker.ts';
import { unlessAborted } from '../../shared/async/abort.ts';
import { inBackground } from '../../shared/async/background.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { PtcError } from '../../shared/errors.ts';
import { SerialQueue } from '../../shared/async/serial-queue.ts';
import type { Tool } from '../../tools/tool.ts';
import {
  closeReasonOf,
  type SessionCloseReason,
  type SessionInfo,
  type SessionState,
  wallTime,
} from './session-info.ts';
import { abortedBeforeStart, sessionClosedError } from '../executor-errors.ts';
import type { Labels } from '../../shared/labels.ts';
import type { SessionOptions } from './session-options.ts';
import { Interpreters } from './interpreters.ts';
import type { StartedSandbox } from '../supply/started-sandbox.ts';

/** A program as the session needs it. */
export interface SessionProgram {
  readonly language: Language;
  readonly code: string;
  /** The tools that its code can call. */
  readonly tools: readonly Tool[];
}

/** One sandbox with its interpreters. Its programs run one after another. */
export class SandboxSession {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: Labels;
  /** Its sandbox counts for this tenant. */
  readonly tenant: Group;
  /**
   * `Session.stateId`. Random, because providers may reuse the ids of sandboxes that are not
   * persistent.
   */
  readonly stateId: string;
  readonly #options: SessionOptions;
  readonly #sandbox: StartedSandbox;
  readonly #queue: SerialQueue = new SerialQueue();
  // On the monotonic clock, which is not affected by changes of the wall clock.
  readonly #created: number = performance.now();
  #lastUsed: number = this.#created;
  readonly #interpreters: Interpreters;
  readonly #checker: SessionChecker | undefined;
  #programs: number;
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
    this.tenant = options.tenant;
    this.stateId = sandbox.persistent ? sandbox.id : randomUUID();
    this.#options = options;
    this.#sandbox = sandbox;
    this.#interpreters = new Interpreters(sandbox.connection);
    this.#programs = sandbox.past?.programs ?? 0;
    this.#checker = options.checker?.follow(sandbox.past !== undefined, this.tenant);
    const { id: sessionId, labels } = this;
    const opened = { provider: sandbox.provider, resumed: this.#resumed(), labels };
    options.audit?.record({ type: 'session-opened', sessionId, ...opened });
    inBackground(this.#closeWhenLost());
  }

  get state(): SessionState {
    if (this.#isGone) return 'closed';
    if (this.#closeReason !== undefined || !this.#sandbox.connection.open) return 'closing';
    return this.#queue.isWorking || this.#queue.hasWaiting ? 'busy' : 'idle';
  }

  /** Whether it accepts programs: it is open and has not expired. */
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

  /** Resolves with the reason when the session begins to close. */
  get closing(): Promise<SessionCloseReason> {
    return this.#closing.promise;
  }

  /** Settles when its sandbox is gone. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Whether it was not used for longer than its idle timeout. A busy session never expires. */
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
      programs: this.#programs,
      toolCalls: this.#toolCalls,
      persistent: this.persistent,
      resumed: this.#resumed(),
      startDurationMs: this.#options.startDurationMs,
      fromPool: this.#sandbox.fromPool,
      memoryBytes: undefined,
    };
  }

  /** Like `info`, with the memory of the sandbox. */
  async measuredInfo(): Promise<SessionInfo> {
    const memoryBytes = this.usable ? await this.#sandbox.memoryUsage() : undefined;
    return { ...this.info(), memoryBytes };
  }

  /** Restarts its idle timeout. */
  touch(): void {
    this.#lastUsed = performance.now();
    // A running program does this when it ends.
    if (this.state === 'idle') this.#sandbox.renew();
  }

  /**
   * Does the work of a program after that of the programs that already wait.
   * @param work - Gets a signal that fires when the caller aborts or the session closes.
   * @throws PtcError `ABORTED` if the caller aborts before the work begins.
   */
  async inTurn<Result>(
    signal: AbortSignal | undefined,
    work: (stop: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#queue.add(async () => work(this.#stopSignal(signal)), signal);
    } catch (error) {
      if (signal?.aborted !== true || PtcError.isInstance(error)) throw error;
      throw abortedBeforeStart(signal.reason);
    }
  }

  /** Whether programs run whatever their check finds. */
  get checkOnlyWarns(): boolean {
    return this.#checker?.onlyWarns === true;
  }

  /**
   * Why a program must not run; undefined if it may, or if the caller or the session ends first.
   */
  async check(program: SessionProgram, stop: AbortSignal): Promise<ProgramRefusal | undefined> {
    if (this.#checker === undefined || !this.usable) return undefined;
    const { language, code, tools } = program;
    const interpreterVersion = async () => this.#interpreters.version(language, tools);
    const about = { language: language.name, code, tools, signal: stop };
    const checking = this.#checker.check({ ...about, interpreterVersion });
    return unlessAborted(checking, stop).catch(() => undefined);
  }

  /** @throws PtcError `CLOSED` if programs can no longer run. */
  assertOpen(): void {
    // Nothing else closes it if its sandbox was lost while a program waited.
    if (!this.#sandbox.connection.open) inBackground(this.close('sandbox-lost'));
    if (this.#closeReason !== undefined) throw sessionClosedError(this.id, this.#closeReason);
  }

  /** Gives the interpreter of a program its tools, and returns the connection on which it runs. */
  configure({ language, tools, code }: SessionProgram): RunnerConnection {
    this.#interpreters.configure(language, tools, code);
    return this.#sandbox.connection;
  }

  /**
   * Counts a program that ran, and closes the session if its sandbox ended with it.
   * @param found - What its check found.
   * @returns a promise that settles when the sandbox is gone if this closes the session.
   */
  async programEnded(result: ExecutionResult, found: ProgramRefusal | undefined): Promise<void> {
    if (!result.success && found === undefined) this.#checker?.lastFailed();
    this.#programs += 1;
    this.#toolCalls += result.toolCalls;
    this.touch();
    // The caller that closed it waits for the sandbox. The result need not.
    if (result.sessionOpen || this.#closeReason !== undefined) return;
    await this.close(closeReasonOf(result.status));
  }

  /**
   * Ends the session and its program, and resolves when the sandbox is gone.
   * @param reason - Only the first reason counts.
   */
  async close(reason: SessionCloseReason): Promise<void> {
    if (this.#closeReason === undefined) {
      this.#beginClose(reason);
      inBackground(this.#sandbox.close().finally(() => this.#end()));
    }
    await this.#gone.promise;
  }

  /**
   * Closes the session and stops its program. The sandbox of a persistent session continues to
   * exist.
   * @param reason - `left` if the host closes.
   */
  async leave(reason: 'left' | 'handed-over'): Promise<void> {
    if (!this.persistent) return this.close(reason === 'left' ? 'closed' : reason);
    if (this.#closeReason === undefined) {
      this.#beginClose(reason);
      // Its program is interrupted. If it does not stop, it is ended together with the sandbox.
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

  async #closeWhenLost(): Promise<void> {
    await this.#sandbox.connection.ended;
    // The result of a running program knows the reason better, and closes the session.
    if (!this.#queue.isWorking) await this.close('sandbox-lost');
  }

  /** Fires when the caller aborts or the session closes. */
  #stopSignal(signal: AbortSignal | undefined): AbortSignal {
    const { signal: closing } = this.#closeSignal;
    return signal ? AbortSignal.any([closing, signal]) : closing;
  }
}

import { randomUUID } from 'node:crypto';
import { SESSION_COUNTS } from '../../calls/limits/scope-counts.ts';
import type { FileRequest, FileSandbox } from '../../execution/files/file-requests.ts';
import { SandboxFiles } from '../../execution/files/sandbox-files.ts';
import { inBackground } from '../../shared/async/background.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import {
  type SessionCloseReason,
  type SessionInfo,
  type SessionState,
  wallTime,
} from './session-info.ts';
import { LONGEST_DELAY_MS } from '../../shared/options/option-values.ts';
import { keyLostError, sessionClosedError } from '../executor-errors.ts';
import { PtcError } from '../../shared/errors.ts';
import type { Labels } from '../../shared/labels.ts';
import { ProgramRunner } from './program-runner.ts';
import type { SessionOptions } from './session-options.ts';
import type { StartedSandbox } from '../supply/started-sandbox.ts';

/** One sandbox with its interpreters: whether it can be used, and how it ends. */
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
  /** Runs its programs. */
  readonly programs: ProgramRunner;
  /** For the tools of its programs. */
  readonly files: SandboxFiles = new SandboxFiles(async () => this.fileSandbox);
  readonly #options: SessionOptions;
  readonly #sandbox: StartedSandbox;
  // On the monotonic clock, which is not affected by changes of the wall clock.
  readonly #created: number = performance.now();
  #lastUsed: number = this.#created;
  readonly #closeSignal: AbortController = new AbortController();
  /** Does something with its files, also while a program runs. */
  readonly fileSandbox: FileSandbox;
  #closeReason: SessionCloseReason | undefined;
  /** Undefined if its sandbox does not end by itself. */
  readonly #renewals: NodeJS.Timeout | undefined;
  /** Whether its sandbox goes on without this host. */
  #isLeft = false;
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
    this.fileSandbox = {
      send: async (request, signal) => this.#sendFileRequest(request, signal),
      ended: this.#closeSignal.signal,
      appends: sandbox.connection.files.appends,
    };
    this.programs = new ProgramRunner(this, sandbox, options);
    if (sandbox.persistent) this.#renewals = this.#renewWhileBusy();
    const { id: sessionId, labels } = this;
    const opened = { provider: sandbox.provider, resumed: this.#resumed(), labels };
    options.audit?.record({ type: 'session-opened', sessionId, ...opened });
    inBackground(this.#closeWhenLost());
  }

  get state(): SessionState {
    if (this.#isGone) return 'closed';
    if (this.#closeReason !== undefined || !this.#sandbox.connection.open) return 'closing';
    return this.programs.isBusy ? 'busy' : 'idle';
  }

  /** Whether it accepts programs: it is open and has not expired. */
  get usable(): boolean {
    const { state } = this;
    return state === 'busy' || (state === 'idle' && !this.expired);
  }

  get closeReason(): SessionCloseReason | undefined {
    return this.#closeReason;
  }

  /** Whether it is closing together with its sandbox. */
  get isEnding(): boolean {
    return this.#closeReason !== undefined && !this.#isLeft;
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

  /** Fires when the session begins to close. */
  get closeSignal(): AbortSignal {
    return this.#closeSignal.signal;
  }

  /** Settles when its sandbox is gone. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Whether it was not used for longer than its idle timeout. A busy session never expires. */
  get expired(): boolean {
    return this.state !== 'busy' && performance.now() >= this.expiresAt;
  }

  /** When it expires if it is not used before, on the monotonic clock. */
  get expiresAt(): number {
    return this.#lastUsed + this.#options.timeoutMs;
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
      expiresAtMs: wallTime(this.expiresAt),
      ...this.programs.counts,
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
    this.#renew();
  }

  /** @throws PtcError `CLOSED` if programs can no longer run. */
  assertOpen(): void {
    // Nothing else closes it if its sandbox was lost while a program waited.
    if (!this.#sandbox.connection.open) inBackground(this.close('sandbox-lost'));
    if (this.#closeReason !== undefined) throw sessionClosedError(this.id, this.#closeReason);
  }

  /** @throws PtcError what `FileRequests.send` throws, or `CLOSED` if the session closes meanwhile. */
  async #sendFileRequest<Result>(
    request: FileRequest<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    this.assertOpen();
    this.touch();
    try {
      return await this.#sandbox.connection.files.send(request, signal);
    } catch (error) {
      const isEnd = PtcError.isInstance(error) && error.code === 'SANDBOX_LOST';
      if (!isEnd || this.#closeReason === undefined) throw error;
      throw sessionClosedError(this.id, this.#closeReason);
    } finally {
      this.touch();
    }
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
      this.#isLeft = true;
      this.#beginClose(reason);
      // Its program is interrupted. If it does not stop, it is ended together with the sandbox.
      const detached = this.programs.onIdle().then(() => this.#sandbox.detach());
      inBackground(detached.finally(() => this.#end()));
    }
    await this.#gone.promise;
  }

  /**
   * Another host may have its key: ends its use of the sandbox at once, also if it is closing. Only
   * a sandbox that is not persistent ends with that.
   */
  async lose(): Promise<void> {
    const lost = this.#sandbox.lose(keyLostError(this.id));
    if (this.#closeReason === undefined) {
      this.#beginClose('key-lost');
      inBackground(lost.finally(() => this.#end()));
    } else {
      // What closes it already warns if that fails.
      lost.catch(() => {});
    }
    await this.#gone.promise;
  }

  #renew(): void {
    const { connection } = this.#sandbox;
    // A program restarts the time itself when it ends, and the runner would stop it now.
    if (this.#closeReason !== undefined || !connection.open || connection.hasProgram) return;
    this.#sandbox.renew();
  }

  /**
   * Its sandbox does not know that it is busy while a program is checked or waits for its tenant's turn,
   * or while calls are decided and made that a program deferred.
   */
  #renewWhileBusy(): NodeJS.Timeout {
    const renew = (): void => {
      if (this.state === 'busy') this.#renew();
    };
    return setInterval(renew, Math.min(this.#options.timeoutMs / 2, LONGEST_DELAY_MS)).unref();
  }

  #beginClose(reason: SessionCloseReason): void {
    this.#closeReason = reason;
    clearInterval(this.#renewals);
    // A program that ends its sandbox must not get more calls in the next one.
    if (reason === 'closed' || reason === 'expired') SESSION_COUNTS.forget(this.id);
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
    // The result of a running program may know the reason better, and then closes the session. It does
    // not if the sandbox was lost after the program had ended.
    await this.programs.onIdle();
    await this.close('sandbox-lost');
  }
}

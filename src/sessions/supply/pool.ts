import { availableParallelism } from 'node:os';
import { inBackground } from '../../shared/async/background.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { PtcError } from '../../shared/errors.ts';
import { closedError } from '../executor-errors.ts';
import type { StartedSandbox } from './started-sandbox.ts';

/** Sandboxes that are started in advance. */
export interface PoolOptions {
  /** How many are ready at least. */
  readonly minReady: number;
  /**
   * The pool keeps as many ready as were taken in the last minute, up to this number.
   * @default minReady
   */
  readonly maxReady?: number;
}

/**
 * Starts a sandbox. If there is no room for one now, returns the error that says so.
 * @throws PtcError what `StartedSandbox.start` throws, through the promise.
 */
export type SandboxStart = (signal: AbortSignal) => Promise<StartedSandbox> | PtcError;

/** More starts at a time slow each other down: four were fastest with two processors. */
export const CONCURRENT_STARTS: number = Math.max(4, availableParallelism());

/** Starting a sandbox occupies the host for milliseconds. The first program of the one that was taken comes before, if it is short. */
const HEAD_START_MS = 50;

const DEMAND_WINDOW_MS = 60_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * Keeps sandboxes ready. A sandbox that was taken never returns, because a program may have run in
 * it.
 */
export class SandboxPool {
  readonly #minReady: number;
  readonly #maxReady: number;
  readonly #start: SandboxStart;
  readonly #ready: Set<StartedSandbox> = new Set();
  readonly #starts: Set<AbortController> = new Set();
  /** All work that must end before the pool is closed. */
  readonly #underWay: Set<Promise<void>> = new Set();
  /** When sandboxes were asked for in the last minute, oldest first. */
  #demand: number[] = [];
  /** Settles when enough sandboxes are ready. */
  #warming: Deferred<void> | undefined;
  #backoffMs: number = FIRST_BACKOFF_MS;
  #retryTimer: NodeJS.Timeout | undefined;
  #headStart: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions, start: SandboxStart) {
    this.#minReady = options.minReady;
    this.#maxReady = options.maxReady ?? options.minReady;
    this.#start = start;
  }

  /** Takes a sandbox that is ready, without waiting. Returns undefined if there is none. */
  take(): StartedSandbox | undefined {
    const sandbox = this.takeLate();
    this.#demand.push(performance.now());
    if (this.#demand.length > this.#maxReady) this.#demand.shift();
    // A caller needs to know whether starts work again.
    this.#endBackoff();
    if (sandbox === undefined) setImmediate(() => this.refill());
    else this.#refillAfterProgramOf(sandbox);
    return sandbox;
  }

  /** Like `take`, for a caller that asked before and got none then. */
  takeLate(): StartedSandbox | undefined {
    const [sandbox] = this.#ready;
    if (sandbox !== undefined) this.#ready.delete(sandbox);
    return sandbox;
  }

  /**
   * Waits until `minReady` sandboxes are ready.
   * @throws PtcError the reason why one did not start, `SANDBOX_LIMIT` if there is no room, or
   * `CLOSED`.
   */
  async warmUp(): Promise<void> {
    if (this.#closed) throw closedError();
    if (this.#ready.size >= this.#minReady) return;
    this.#warming ??= createDeferred();
    const { promise } = this.#warming;
    this.#endBackoff();
    this.refill();
    await promise;
  }

  /**
   * Starts the missing sandboxes, if there is room and the last start did not fail a moment ago.
   */
  refill(): void {
    if (this.#closed || this.#retryTimer !== undefined) return;
    while (this.#starts.size < CONCURRENT_STARTS && this.#standing < this.#target()) {
      const controller = new AbortController();
      const start = this.#start(controller.signal);
      if (PtcError.isInstance(start)) {
        if (this.#starts.size === 0) this.#endWarming(start);
        break;
      }
      this.#starts.add(controller);
      this.#track(this.#await(start, controller));
    }
  }

  /** Ends sandboxes that current demand no longer needs. */
  trim(): void {
    while (this.#ready.size > this.#target() && this.#drop());
  }

  /** Ends a sandbox that is ready or starting. Returns false if there is none. */
  endOne(): boolean {
    if (this.#drop()) return true;
    const [start] = this.#starts;
    if (start === undefined) return false;
    this.#starts.delete(start);
    start.abort();
    // If there is no room for another start, `warmUp` fails now, and does not wait for ever.
    setImmediate(() => this.refill());
    return true;
  }

  /** Ends all sandboxes, including those that are starting, and waits until they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#headStart);
    this.#endBackoff();
    this.#endWarming(closedError());
    while (this.endOne());
    await Promise.all(this.#underWay);
  }

  /** How many sandboxes are ready. */
  get ready(): number {
    return this.#ready.size;
  }

  get #standing(): number {
    return this.#ready.size + this.#starts.size;
  }

  #target(): number {
    const since = performance.now() - DEMAND_WINDOW_MS;
    this.#demand = this.#demand.filter((time) => time > since);
    return Math.max(this.#minReady, Math.min(this.#maxReady, this.#demand.length));
  }

  #drop(): boolean {
    const [sandbox] = this.#ready;
    if (sandbox === undefined) return false;
    this.#ready.delete(sandbox);
    this.#track(sandbox.close());
    return true;
  }

  async #await(start: Promise<StartedSandbox>, controller: AbortController): Promise<void> {
    try {
      const sandbox = await start;
      // A start that was aborted may have been ready at that moment.
      if (!this.#starts.delete(controller)) return await sandbox.close();
      this.#keep(sandbox);
    } catch (error) {
      if (!this.#starts.delete(controller)) return;
      this.#endWarming(error);
      this.#backOff();
    }
    this.refill();
  }

  #keep(sandbox: StartedSandbox): void {
    this.#ready.add(sandbox);
    inBackground(this.#replaceWhenLost(sandbox));
    if (this.#ready.size >= this.#minReady) this.#endWarming();
  }

  async #replaceWhenLost(sandbox: StartedSandbox): Promise<void> {
    await sandbox.connection.ended;
    if (!this.#ready.delete(sandbox)) return;
    this.#track(sandbox.close());
    // Not at once: if every sandbox ended as soon as it is ready, this would never stop.
    this.#backOff();
  }

  #backOff(): void {
    if (this.#closed) return;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.refill();
    }, this.#backoffMs).unref();
    this.#backoffMs = Math.min(this.#backoffMs * 2, LONGEST_BACKOFF_MS);
  }

  #endBackoff(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.#backoffMs = FIRST_BACKOFF_MS;
  }

  #endWarming(error?: unknown): void {
    const warming = this.#warming;
    this.#warming = undefined;
    if (error === undefined) warming?.resolve();
    else warming?.reject(error);
  }

  #refillAfterProgramOf({ connection }: StartedSandbox): void {
    this.#headStart ??= setTimeout(() => this.#endHeadStart(), HEAD_START_MS).unref();
    const programEnded = async (): Promise<void> => {
      await connection.firstProgram;
      // Its result reaches the caller first.
      setImmediate(() => this.#endHeadStart());
    };
    inBackground(programEnded());
  }

  #endHeadStart(): void {
    clearTimeout(this.#headStart);
    this.#headStart = undefined;
    this.refill();
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch(() => undefined)
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }
}

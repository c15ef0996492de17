import { PtcError } from '../../shared/errors.ts';
import type { CallDecision } from '../../tools/policy/call-gate.ts';
import { CANCEL_LIMIT_MS, CANCEL_PATIENCE_MS, ExecutionClock } from './execution-clock.ts';
import { CANCELLED, timedOut, type StopCause } from './execution-budgets.ts';

export interface ExecutionWatchOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** How long a call may wait for approval. */
  readonly approvalTimeoutMs: number;
  /** Stops the program, which calls `expectEnd`. */
  readonly stop: (cause: StopCause) => void;
  /** Tells the runner how long the program may still take. */
  readonly extend: (limitMs: number) => void;
  /** Ends the sandbox, because it did not stop its program. */
  readonly onStuck: (error: PtcError) => void;
}

/**
 * Watches when a program must be stopped: its time is up, or the caller aborts. Then watches that
 * it ends.
 */
export class ExecutionWatch {
  readonly #options: ExecutionWatchOptions;
  readonly #clock: ExecutionClock;
  /** How long a call that holds the clock may take at most. */
  #longestMs = 0;
  #lastResort: NodeJS.Timeout | undefined;
  #lastLook: NodeJS.Immediate | undefined;

  constructor(options: ExecutionWatchOptions) {
    this.#options = options;
    const { timeoutMs, stop } = options;
    this.#clock = new ExecutionClock(timeoutMs, () => stop(timedOut(timeoutMs)));
  }

  /** The program has been sent. */
  begin(): void {
    const { signal } = this.#options;
    this.#clock.start();
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
  }

  /** The program is being stopped. */
  expectEnd(): void {
    this.#clock.stop();
    this.#lastResort = setTimeout(() => this.#lookAgain(), CANCEL_LIMIT_MS + CANCEL_PATIENCE_MS);
  }

  /**
   * If this process got no processor for a while, the report of the end may have arrived: the event
   * loop runs a timer that is due before it reads.
   */
  #lookAgain(): void {
    this.#lastLook = setImmediate(() => {
      this.#lastLook = setImmediate(() =>
        this.#options.onStuck(
          new PtcError(
            'SANDBOX_LOST',
            'The sandbox did not stop its program when the host asked it to, so it was ended.',
          ),
        ),
      );
    });
  }

  /** Pauses the time limit while calls wait for approval. */
  onDecision({ callId, decision, request }: CallDecision): void {
    if (decision !== 'asked') this.letGo(callId);
    // The calls of a batch are asked at the same time, so what the runner is told of the first one suffices.
    else if ((request?.batch?.number ?? 1) > 1) this.#clock.hold(callId);
    else this.hold(callId, this.#options.approvalTimeoutMs);
  }

  /** Pauses the time limit while somebody outside this process has to answer a call. */
  hold(callId: string, longestMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, longestMs);
    if (this.#clock.hold(callId)) this.#extend();
  }

  /** The call was answered, or nothing waits for it any more. */
  letGo(callId: string): void {
    const clock = this.#clock;
    // While others hold it, the runner has the time that it was told of the last one.
    if (!clock.letGo(callId) || clock.isHeld) return;
    this.#longestMs = 0;
    this.#extend();
  }

  #extend(): void {
    this.#options.extend(this.#clock.leftMs + this.#longestMs);
  }

  /** The program has ended. */
  release(): void {
    this.#clock.stop();
    clearTimeout(this.#lastResort);
    clearImmediate(this.#lastLook);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.#options.stop(CANCELLED);
}

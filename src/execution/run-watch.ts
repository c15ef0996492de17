import { PtcError } from '../shared/errors.ts';
import { CANCELLED, timedOut, type StopCause } from './run-budgets.ts';

/** How long an interrupted program may take to stop before its interpreter is ended. */
export const CANCEL_GRACE_MS = 1000;

/** How much longer the host waits for word of that before it ends the sandbox itself. */
const CANCEL_PATIENCE_MS = 500;

export interface RunWatchOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Interrupts the program. Called once. */
  readonly interrupt: (cause: StopCause) => void;
  /** Ends the sandbox. */
  readonly end: (error: PtcError) => void;
}

/** Stops a run when its time is up or the caller aborts, and ends the sandbox where that does not help. */
export class RunWatch {
  readonly #options: RunWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #lastResort: NodeJS.Timeout | undefined;

  constructor(options: RunWatchOptions) {
    this.#options = options;
  }

  /** The program has been sent. */
  begin(): void {
    const { timeoutMs, signal } = this.#options;
    this.#timer = setTimeout(() => this.stop(timedOut(timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
  }

  /** Interrupts the program, unless that was done before. */
  stop(cause: StopCause): void {
    if (this.#lastResort !== undefined) return;
    this.#lastResort = setTimeout(
      () =>
        this.#options.end(
          new PtcError('SANDBOX_LOST', 'The sandbox did not stop when it was told to.'),
        ),
      CANCEL_GRACE_MS + CANCEL_PATIENCE_MS,
    );
    this.#options.interrupt(cause);
  }

  /** The run is over. */
  release(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#lastResort);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.stop(CANCELLED);
}

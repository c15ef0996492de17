import { AnySignal } from '../../shared/async/any-signal.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';

export interface RunEndsOptions {
  /** Fires if the orchestrator closes. */
  readonly closing: AbortSignal;
  readonly caller: AbortSignal | undefined;
  readonly runTimeoutMs: number | undefined;
}

/** Whether a run ended because the service refuses its request and would refuse it again. */
export function isInputRefused({ code, details }: PtcError): boolean {
  return (
    code === 'MODEL_REFUSED' || (code === 'MODEL_CONTEXT_EXCEEDED' && details['part'] === 'input')
  );
}

/**
 * The events that end a run from outside: the orchestrator closes, the caller aborts, the time
 * limit passes, or something fails that the run needs.
 */
export class RunEnds implements Disposable {
  readonly #options: RunEndsOptions;
  readonly #stop: AbortController = new AbortController();
  readonly #timeLimit: AbortController = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #any: AnySignal;
  #stopError: PtcError | undefined;

  constructor(options: RunEndsOptions) {
    const { closing, caller, runTimeoutMs } = options;
    this.#options = options;
    this.#any = new AnySignal(closing, caller, this.#timeLimit.signal, this.#stop.signal);
    if (runTimeoutMs === undefined) return;
    this.#timer = setTimeout(() => this.#timeLimit.abort(), runTimeoutMs);
  }

  /** Fires with the first of these events. */
  get signal(): AbortSignal {
    return this.#any.signal;
  }

  /** Ends the run with this error. */
  stop(error: PtcError): void {
    this.#stopError ??= error;
    this.#stop.abort(error);
  }

  /** Returns the error that the run throws for a cause. */
  explain(cause: unknown): PtcError {
    const { closing, caller, runTimeoutMs } = this.#options;
    if (closing.aborted) {
      return new PtcError('CLOSED', 'The orchestrator was closed during the run.', { cause });
    }
    const isTyped = PtcError.isInstance(cause);
    if (caller?.aborted === true) {
      const isTold = isTyped && cause.code === 'ABORTED';
      return isTold ? cause : new PtcError('ABORTED', 'The run was aborted.', { cause });
    }
    if (this.#timeLimit.signal.aborted) {
      const message = `The run took longer than its limit of ${runTimeoutMs} ms. Run again to continue, or raise runTimeoutMs.`;
      return new PtcError('RUN_TIMEOUT', message, { cause, details: { runTimeoutMs } });
    }
    if (this.#stopError !== undefined) return this.#stopError;
    if (isTyped) return cause;
    return new PtcError('RUN_FAILED', `The run failed: ${messageOf(cause)}`, { cause });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#any[Symbol.dispose]();
  }
}

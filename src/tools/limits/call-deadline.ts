import { checkDelay, invalidOption, LONGEST_DELAY_MS } from '../../shared/options/option-values.ts';

/** How long a call of a tool may take, in milliseconds. */
export interface TimeLimits {
  /** Since its start, or since it last reported progress. */
  readonly timeoutMs: number;
  /** Since its start. */
  readonly maxTimeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAXIMUM = 10;

/**
 * The time limits that a definition gives, with their defaults.
 * @throws PtcError `OPTION_INVALID`
 */
export function timeLimitsOf(given: {
  readonly timeoutMs?: number;
  readonly maxTimeoutMs?: number;
}): TimeLimits {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = given;
  checkDelay('timeoutMs', timeoutMs);
  const { maxTimeoutMs = Math.min(DEFAULT_MAXIMUM * timeoutMs, LONGEST_DELAY_MS) } = given;
  checkDelay('maxTimeoutMs', maxTimeoutMs);
  if (maxTimeoutMs < timeoutMs) {
    throw invalidOption('maxTimeoutMs', maxTimeoutMs, `at least timeoutMs, which is ${timeoutMs}`);
  }
  return { timeoutMs, maxTimeoutMs };
}

/** Ends one call when its time is up. */
export class CallDeadline {
  readonly #limits: TimeLimits;
  readonly #onEnd: (reason: string) => void;
  readonly #startedAt: number = performance.now();
  /** When it last reported progress, if that was after the timer was set. */
  #progressAt: number | undefined;
  #reason: string;
  #keepsProcess = true;
  #timer: NodeJS.Timeout;

  /** @param onEnd - Called with a phrase that says why. */
  constructor(limits: TimeLimits, onEnd: (reason: string) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#reason = `no answer within ${limits.timeoutMs} ms`;
    this.#timer = setTimeout(this.#onTimer, limits.timeoutMs);
  }

  /** Lets the process end although the time is not up. */
  unref(): void {
    this.#keepsProcess = false;
    this.#timer.unref();
  }

  /** The call has made progress. It may report that often, so the timer stays as it is. */
  move(): void {
    this.#progressAt = performance.now();
  }

  /** Ends the wait, because the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }

  readonly #onTimer = (): void => {
    if (this.#progressAt === undefined) {
      this.#onEnd(this.#reason);
      return;
    }
    const { timeoutMs, maxTimeoutMs } = this.#limits;
    const now = performance.now();
    const untilSilent = this.#progressAt + timeoutMs - now;
    const untilMaximum = this.#startedAt + maxTimeoutMs - now;
    this.#progressAt = undefined;
    this.#reason =
      untilSilent < untilMaximum
        ? `no progress within ${timeoutMs} ms`
        : `no answer within ${maxTimeoutMs} ms`;
    const leftMs = Math.min(untilSilent, untilMaximum);
    if (leftMs <= 0) {
      this.#onEnd(this.#reason);
      return;
    }
    this.#timer = setTimeout(this.#onTimer, leftMs);
    if (!this.#keepsProcess) this.#timer.unref();
  };
}

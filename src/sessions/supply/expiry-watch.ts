import { onAbort } from '../../shared/async/on-abort.ts';
import { LONGEST_DELAY_MS } from '../../shared/options/option-values.ts';
import type { SandboxExecutorOptions } from '../options/executor-options.ts';
import type { SessionManager } from '../session-manager.ts';

interface ExpiryWatchOptions {
  readonly sessions: Pick<SessionManager, 'closeExpired' | 'nextExpiry'>;
  readonly options: Pick<SandboxExecutorOptions, 'sessionIdleTimeoutMs'>;
  /** Whether callers wait for the room of sessions. */
  readonly isWanted: () => boolean;
  /** Fires when the executor closes. */
  readonly closing: AbortSignal;
}

/** Ends sessions as soon as they have expired, while callers wait for their room. */
export class ExpiryWatch {
  readonly #options: ExpiryWatchOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ExpiryWatchOptions) {
    this.#options = options;
    onAbort(options.closing, () => clearTimeout(this.#timer));
  }

  /** Call it when a caller begins to wait. */
  start(): void {
    if (this.#timer !== undefined || this.#options.closing.aborted) return;
    const { sessions, options, isWanted } = this.#options;
    const { sessionIdleTimeoutMs: idleTimeoutMs = 270_000 } = options;
    const now = performance.now();
    // One that is in use now, or is opened later, does not expire before that.
    const dueAt = Math.min(sessions.nextExpiry, now + idleTimeoutMs, now + LONGEST_DELAY_MS);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        sessions.closeExpired();
        if (isWanted()) this.start();
      },
      Math.max(1, dueAt - now),
    ).unref();
  }
}

import { inBackground } from '../shared/async/background.ts';
import { guardedListener } from '../shared/listeners/guarded-listener.ts';
import type { Labels } from '../shared/labels.ts';
import type { SessionCloseReason, SessionInfo } from './session/session-info.ts';

/** What an executor is doing now, and what it has done since it was created. */
export interface ExecutorStats {
  /** Sandboxes of the pool that are ready. */
  readonly ready: number;
  /** Sandboxes that are starting, including the pool's. */
  readonly starting: number;
  /** Sessions that are running a program, or whose program waits for its tenant's quota. */
  readonly busy: number;
  /** Sessions that are not running a program. */
  readonly idle: number;
  /** Callers that wait for a sandbox because `maxSandboxes` exist or a quota is reached. */
  readonly waiting: number;
  /** Sandboxes that were started, including the pool's. */
  readonly starts: number;
  /** Starts that failed or were aborted. */
  readonly failedStarts: number;
  /** Sessions whose sandbox came from the pool. */
  readonly poolHits: number;
  /** Sessions that were closed to make room. */
  readonly evicted: number;
  /** Sessions that were closed because they were not used for `sessionIdleTimeoutMs`. */
  readonly expired: number;
}

/** Something that happened to an executor's sessions or sandboxes. */
export type ExecutorEvent =
  /** A session was opened. `startDurationMs` is how long its first user waited for its sandbox. */
  | ({
      readonly type: 'session-opened';
      readonly sessionId: string;
      readonly sessionKey: string | undefined;
    } & Pick<SessionInfo, 'labels' | 'provider' | 'startDurationMs' | 'fromPool' | 'resumed'>)
  /** Its sandbox is gone, or was left to another process. */
  | {
      readonly type: 'session-closed';
      readonly sessionId: string;
      readonly sessionKey: string | undefined;
      readonly labels: Labels;
      readonly reason: SessionCloseReason;
    }
  | { readonly type: 'sandbox-started'; readonly durationMs: number }
  /** The sandbox that an earlier process left for a persistent session was taken over. */
  | { readonly type: 'sandbox-resumed'; readonly durationMs: number }
  /** A sandbox could not be started or taken over. */
  | { readonly type: 'sandbox-failed'; readonly durationMs: number; readonly error: unknown }
  /** A caller has to wait for a sandbox. `waiting` is how many callers do. */
  | { readonly type: 'request-queued'; readonly waiting: number };

/** A session that was opened. */
interface OpenedSession extends Pick<SessionInfo, 'id' | 'key' | 'labels' | 'closeReason'> {
  info(): SessionInfo;
  /** Settles when its sandbox is gone. */
  readonly gone: Promise<void>;
}

/** Counts what an executor does, and calls its listener. */
export class ExecutorWatch {
  readonly #tell: (event: ExecutorEvent) => void;
  readonly #counts = { starts: 0, failedStarts: 0, poolHits: 0, evicted: 0, expired: 0 };

  constructor(onEvent: ((event: ExecutorEvent) => void) | undefined) {
    this.#tell = guardedListener(onEvent ?? (() => {}));
  }

  get counts(): Pick<
    ExecutorStats,
    'starts' | 'failedStarts' | 'poolHits' | 'evicted' | 'expired'
  > {
    return this.#counts;
  }

  /** Tells that a session was opened, and later that it is gone, and why. */
  follow(session: OpenedSession): void {
    const { id: sessionId, key: sessionKey, ...info } = session.info();
    const { labels, provider, startDurationMs, fromPool, resumed } = info;
    if (fromPool) this.#counts.poolHits += 1;
    const opened = { labels, provider, startDurationMs, fromPool, resumed };
    this.#tell({ type: 'session-opened', sessionId, sessionKey, ...opened });
    inBackground(this.#tellWhenGone(session));
  }

  async #tellWhenGone(session: OpenedSession): Promise<void> {
    await session.gone;
    const {
      id: sessionId,
      key: sessionKey,
      labels,
      closeReason: reason = 'sandbox-lost',
    } = session;
    if (reason === 'evicted' || reason === 'expired') this.#counts[reason] += 1;
    this.#tell({ type: 'session-closed', sessionId, sessionKey, labels, reason });
  }

  /** Counts and reports the start of a sandbox. @throws what the start throws. */
  async started<Started>(start: () => Promise<Started>): Promise<Started> {
    this.#counts.starts += 1;
    return this.#reported('sandbox-started', async () => {
      try {
        return await start();
      } catch (error) {
        this.#counts.failedStarts += 1;
        throw error;
      }
    });
  }

  /**
   * Reports that a persistent sandbox was taken over, if there was one. That is not a start.
   * @throws what `resume` throws.
   */
  async resumed<Resumed>(resume: () => Promise<Resumed>): Promise<Resumed> {
    return this.#reported('sandbox-resumed', resume);
  }

  async #reported<Result>(
    type: 'sandbox-started' | 'sandbox-resumed',
    getSandbox: () => Promise<Result>,
  ): Promise<Result> {
    const began = performance.now();
    try {
      const sandbox = await getSandbox();
      if (sandbox !== undefined) this.#tell({ type, durationMs: performance.now() - began });
      return sandbox;
    } catch (error) {
      this.#tell({ type: 'sandbox-failed', durationMs: performance.now() - began, error });
      throw error;
    }
  }

  waits(waiting: number): void {
    this.#tell({ type: 'request-queued', waiting });
  }
}

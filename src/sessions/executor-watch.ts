import { guardedListener } from '../shared/guarded-listener.ts';
import type { SessionCloseReason, SessionInfo } from './session-info.ts';

/** What an executor is doing, and what it has done since it was made. */
export interface ExecutorStats {
  /** Sandboxes of the pool that stand ready. */
  readonly ready: number;
  /** Sandboxes that start now, the pool's included. */
  readonly starting: number;
  /** Sessions in which a program runs. */
  readonly busy: number;
  /** Sessions in which none does. */
  readonly idle: number;
  /** How many wait for a sandbox because there are as many as may be. */
  readonly waiting: number;
  /** Sandboxes that were started, the pool's included. */
  readonly starts: number;
  /** Starts that failed or were given up. */
  readonly failedStarts: number;
  /** Sessions whose sandbox stood ready in the pool. */
  readonly poolHits: number;
  /** Sessions that were closed to make room. */
  readonly evicted: number;
  /** Sessions that nobody used for too long. */
  readonly expired: number;
}

type SessionName = Pick<SessionInfo, 'id' | 'key' | 'labels'>;

/** What happens to an executor's sessions and sandboxes. */
export type ExecutorEvent =
  /** A session is there. `startMs` is what its first user waited for it, from asking for a sandbox. */
  | ({
      readonly type: 'session-opened';
    } & SessionName &
      Pick<SessionInfo, 'provider' | 'startMs' | 'fromPool' | 'resumed'>)
  /** Its sandbox is gone, or left to another process. */
  | ({
      readonly type: 'session-closed';
      readonly reason: SessionCloseReason;
    } & SessionName)
  | { readonly type: 'sandbox-started'; readonly durationMs: number }
  | { readonly type: 'sandbox-failed'; readonly durationMs: number; readonly error: unknown }
  /** Somebody waits for a sandbox now; `waiting` is how many do. */
  | { readonly type: 'waiting'; readonly waiting: number };

/** Counts what an executor does, and tells of it. */
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

  opened({ id, key, labels, provider, startMs, fromPool, resumed }: SessionInfo): void {
    if (fromPool) this.#counts.poolHits += 1;
    const name = { id, key, labels };
    this.#tell({ type: 'session-opened', ...name, provider, startMs, fromPool, resumed });
  }

  closed({ id, key, labels }: SessionName, reason: SessionCloseReason): void {
    if (reason === 'evicted' || reason === 'expired') this.#counts[reason] += 1;
    this.#tell({ type: 'session-closed', id, key, labels, reason });
  }

  /** Watches the start of a sandbox. @throws what the start throws. */
  async started<Started>(start: () => Promise<Started>): Promise<Started> {
    const began = performance.now();
    this.#counts.starts += 1;
    try {
      const sandbox = await start();
      this.#tell({ type: 'sandbox-started', durationMs: performance.now() - began });
      return sandbox;
    } catch (error) {
      this.#counts.failedStarts += 1;
      this.#tell({ type: 'sandbox-failed', durationMs: performance.now() - began, error });
      throw error;
    }
  }

  waits(waiting: number): void {
    this.#tell({ type: 'waiting', waiting });
  }
}

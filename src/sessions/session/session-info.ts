import type { ExecutionStatus } from '../../execution/execution.ts';
import type { Labels } from '../../shared/labels.ts';

/** `closing`: it can no longer be used, and its sandbox is being ended. */
export type SessionState = 'idle' | 'busy' | 'closing' | 'closed';

/**
 * Why a session was closed.
 *
 * - `closed`: the host closed or destroyed it.
 * - `expired`: nobody used it for `sessionIdleTimeoutMs`.
 * - `evicted`: it made room for another session.
 * - `reset`: a new sandbox took its place.
 * - `left`: the host closed, and the session waits for another host.
 * - `handed-over`: another process or executor asked for its key while nobody used the session. If
 * it is persistent, it goes on there.
 * - `key-lost`: another host took its key, because this one gave no sign of life for too long. If it
 * is persistent, it goes on there.
 * - `timeout`, `cancelled`, `budget-exceeded`: its program was stopped with this status,
 * and did not end in time.
 * - `memory-limit`: its program needed more memory than the sandbox has.
 * - `protocol-error`: its sandbox broke the wire protocol.
 * - `sandbox-lost`: its interpreter or its sandbox ended.
 */
export type SessionCloseReason =
  | 'closed'
  | 'expired'
  | 'evicted'
  | 'reset'
  | 'left'
  | 'handed-over'
  | 'key-lost'
  | 'timeout'
  | 'cancelled'
  | 'memory-limit'
  | 'budget-exceeded'
  | 'protocol-error'
  | 'sandbox-lost';

/** Information about a session. Times are milliseconds since the epoch. */
export interface SessionInfo {
  readonly id: string;
  /** The key with which it was acquired; undefined if it has none. */
  readonly key: string | undefined;
  /** The labels with which it was opened. Sandboxes never see them. */
  readonly labels: Labels;
  readonly state: SessionState;
  /** Set as soon as it is closing. */
  readonly closeReason: SessionCloseReason | undefined;
  /** The name of the provider, such as `docker`. */
  readonly provider: string;
  /** The provider's id of its sandbox, such as a container id or a process id. */
  readonly sandboxId: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  /** When it expires if it is not used before. */
  readonly expiresAtMs: number;
  /** How many programs it has run, including those of earlier processes. */
  readonly programs: number;
  readonly toolCalls: number;
  /** Whether it outlives this process. */
  readonly persistent: boolean;
  /**
   * How an earlier process left it: `idle`, or `interrupted` if a program was running, which was
   * stopped. Undefined if this process created its sandbox.
   */
  readonly resumed: 'idle' | 'interrupted' | undefined;
  /** How long its first user waited for its sandbox. */
  readonly startDurationMs: number;
  /** Whether its sandbox came from the pool. */
  readonly fromPool: boolean;
  /**
   * The memory that its sandbox uses now, in bytes, as the provider measures it, without asking the
   * guest. Set only by `Session.info` and `Executor.sessionInfo`. Undefined if the provider cannot
   * measure it.
   */
  readonly memoryBytes: number | undefined;
}

/** Why a session ended with its program, whose result has this status. */
export function closeReasonOf(status: ExecutionStatus): SessionCloseReason {
  return status === 'ok' || status === 'error' ? 'sandbox-lost' : status;
}

const EXPLANATIONS: Readonly<Record<SessionCloseReason, string>> = {
  closed: 'it was closed',
  expired: 'it was not used for too long',
  evicted: 'it was idle and was closed to make room for another session',
  reset: 'it was reset',
  left: 'its host closed and left it to another host',
  'handed-over': 'nobody used it, and another process or executor asked for its key',
  'key-lost':
    'another host may have taken its key, because this one gave no sign of life for too long',
  timeout: 'its program reached its time limit and did not stop',
  cancelled: 'its program was cancelled and did not stop',
  'memory-limit': 'its program needed more memory than the sandbox has',
  'budget-exceeded': 'its program exceeded a budget and did not stop',
  'protocol-error': 'its sandbox broke the wire protocol',
  'sandbox-lost': 'its interpreter or its sandbox ended',
};

/** The reason as a clause for messages. */
export function explainClose(reason: SessionCloseReason): string {
  return EXPLANATIONS[reason];
}

/** The time since the epoch of a moment on the monotonic clock. */
export function wallTime(monotonic: number): number {
  return Math.round(performance.timeOrigin + monotonic);
}

/** `closing`: it can no longer be used, and its sandbox is being ended. */
export type SessionState = 'idle' | 'busy' | 'closing' | 'closed';

/**
 * Why a session was closed. `closed`: somebody asked for it. `expired`: nobody used it. `evicted`: it
 * made room for another. `reset`: a fresh sandbox took its place. `timeout`, `cancelled`: its program
 * was stopped so and did not end in time; `calls`, `output`: for a budget that it passed. `left`: its
 * host closed, and it waits for another. `memory`: its program needed too much. `protocol`: its sandbox
 * broke the wire protocol. `sandbox-lost`: its interpreter or its sandbox ended.
 */
export type SessionCloseReason =
  | 'closed'
  | 'expired'
  | 'evicted'
  | 'reset'
  | 'left'
  | 'timeout'
  | 'cancelled'
  | 'memory'
  | 'calls'
  | 'output'
  | 'protocol'
  | 'sandbox-lost';

/** What is known of a session. Times are milliseconds since the epoch. */
export interface SessionInfo {
  readonly id: string;
  /** What it was acquired by; undefined if it has none. */
  readonly key: string | undefined;
  /** What it was opened with; only the host knows them. */
  readonly labels: Readonly<Record<string, string>>;
  readonly state: SessionState;
  /** Set once it is closing. */
  readonly closeReason: SessionCloseReason | undefined;
  /** The engine it runs on, such as `docker`. */
  readonly provider: string;
  /** The engine's own id of its sandbox: a container id, a process id. */
  readonly sandboxId: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  /** When it expires unless it is used before. */
  readonly expiresAtMs: number;
  readonly runs: number;
  readonly toolCalls: number;
  /** Whether it outlives this process. */
  readonly persistent: boolean;
  /**
   * How an earlier process left it: `idle`, or `interrupted` where a program was under way, which was
   * stopped. Undefined where this process made its sandbox.
   */
  readonly resumed: 'idle' | 'interrupted' | undefined;
  /** How long its first user waited for its sandbox, from asking for it. */
  readonly startMs: number;
  /** Whether its sandbox stood ready in the pool. */
  readonly fromPool: boolean;
  /**
   * What its sandbox takes now, as the engine counts it, without asking the guest. Only
   * `Session.info` looks, and not every engine can tell.
   */
  readonly memoryBytes: number | undefined;
}

const EXPLANATIONS: Readonly<Record<SessionCloseReason, string>> = {
  closed: 'it was closed',
  expired: 'it was unused for too long',
  evicted: 'it was unused and made room for another',
  reset: 'it was reset',
  left: 'its host let go of it',
  timeout: 'its program ran out of time and did not stop',
  cancelled: 'its program was cancelled and did not stop',
  memory: 'its program needed more memory than the sandbox has',
  calls: 'its program passed its budget of tool calls and did not stop',
  output: 'its program passed its budget of bytes and did not stop',
  protocol: 'its sandbox broke the wire protocol',
  'sandbox-lost': 'its interpreter or its sandbox ended',
};

/** The reason as a clause for messages. */
export function explainClose(reason: SessionCloseReason): string {
  return EXPLANATIONS[reason];
}

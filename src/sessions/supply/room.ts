import type { Group } from '../../shared/async/fair-queue.ts';
import type { StartedSandbox } from './started-sandbox.ts';

/** What a session needs a sandbox for. */
export interface SandboxNeed {
  /** The sandbox counts for it. */
  readonly tenant: Group;
  /** The session id of a new sandbox. A persistent one needs it. @default a random one */
  readonly id?: string;
  /** Whether the sandbox outlives this host. */
  readonly persistent: boolean;
  /** Ends the waits for room, and no start that has begun. @default never */
  readonly ending?: AbortSignal;
}

/** Room for one sandbox. Call one of its functions, once. */
export interface Room {
  /**
   * Returns the sandbox: a ready one of the pool, the persistent one that an earlier host left for
   * the session, or a new one. If it throws, the room is free again.
   * @throws PtcError what `StartedSandbox.start` and `StartedSandbox.resume` throw.
   */
  readonly start: () => Promise<StartedSandbox>;
  /** Leaves the room to others. */
  readonly giveUp: () => Promise<void>;
}

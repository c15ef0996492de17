import type { Transport } from '../protocol/transport.ts';

/** What one sandbox may use. */
export interface ResourceLimits {
  /** Memory of everything in the sandbox, swap included. @default 268435456 (256 MiB) */
  readonly memoryBytes: number;
  /** Share of processors. @default 0.5 */
  readonly cpus: number;
  /** Processes and threads. @default 64 */
  readonly processes: number;
  /** Size of the writable `/tmp`. @default 16777216 (16 MiB) */
  readonly temporaryStorageBytes: number;
}

/** The limits of the hardening profile (SECURITY.md). */
export const DEFAULT_LIMITS: ResourceLimits = {
  memoryBytes: 256 * 1024 * 1024,
  cpus: 0.5,
  processes: 64,
  temporaryStorageBytes: 16 * 1024 * 1024,
};

/** What a provider needs to know to make a sandbox. */
export interface SandboxSpec {
  /** The session that it will serve. */
  readonly sessionId: string;
  /** The guest language. */
  readonly language: 'python';
  readonly limits: ResourceLimits;
}

/** A started sandbox with a runner in it. */
export interface Sandbox {
  /** The engine's own id: a container id, a process id. */
  readonly id: string;
  readonly transport: Transport;
  /** Ends everything in it and returns when it is gone. May be called again. Never hangs and never throws. */
  close(): Promise<void>;
}

/**
 * What becomes of a sandbox that an engine has: `live`, its owner will end it; `orphan`, its owner
 * died without ending it; `foreign`, its owner is on another machine, in another network namespace or
 * another user's, so nobody here can tell.
 */
export type SandboxVerdict = 'live' | 'orphan' | 'foreign';

/** A sandbox that an engine has, whoever made it. */
export interface FoundSandbox {
  /** The engine's own id. */
  readonly id: string;
  readonly sessionId: string;
  /** The process that made it; undefined where what the engine knows of it cannot be read. */
  readonly owner: { readonly machine: string; readonly processId: number } | undefined;
  /** Milliseconds since the epoch, as the engine counts them. */
  readonly createdAtMs: number;
  /** The engine's word, such as `running`, `paused` or `created`. */
  readonly state: string;
  readonly verdict: SandboxVerdict;
}

export interface CreateOptions {
  /** Ends the creation; what was made so far is removed. */
  readonly signal?: AbortSignal;
}

/** Whether a provider works on this machine. */
export type Availability =
  | { readonly usable: true; /** Such as `Docker 28.2.2`. */ readonly description: string }
  | {
      readonly usable: false;
      readonly reason: string;
      /** What to install or start. */ readonly remedy: string;
    };

/** A place to run sandboxes. */
export interface SandboxProvider {
  /** Such as `docker`. */
  readonly name: string;
  /**
   * Starts a sandbox and its runner, which need not be ready yet.
   * @throws PtcError `SANDBOX_UNAVAILABLE`, `IMAGE_UNAVAILABLE`, `SANDBOX_START_FAILED` or `ABORTED`.
   */
  create(spec: SandboxSpec, options?: CreateOptions): Promise<Sandbox>;
  /** Really tries the engine; quick, and leaves nothing behind. */
  probe(): Promise<Availability>;
  /**
   * Lists the sandboxes of every process that the engine has; absent where they cannot outlive theirs.
   * @throws PtcError `SANDBOX_UNAVAILABLE`
   */
  findSandboxes?(): Promise<readonly FoundSandbox[]>;
  /**
   * Removes the sandboxes whose owner died without ending them, and returns those that are gone. One
   * of a live owner, or of one that cannot be judged from here, is never touched. Absent where no
   * sandbox can outlive its process.
   * @throws PtcError `SANDBOX_UNAVAILABLE`
   */
  removeOrphans?(): Promise<readonly FoundSandbox[]>;
  /**
   * Lets go of connections. Its sandboxes are closed before, by whoever made them: those left count as
   * orphans.
   */
  close(): Promise<void>;
}

/** Tells a person what takes long, such as an image being built. */
export type ProgressListener = (message: string) => void;

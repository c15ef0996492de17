import type { LanguageName } from '../protocol/messages.ts';
import type { Transport } from '../protocol/transport.ts';
import type { SecurityReport } from './protection.ts';

/** What one sandbox may use. */
export interface ResourceLimits {
  /** Memory of everything in the sandbox, swap included. @default 268435456 (256 MiB) */
  readonly memoryBytes: number;
  /** Share of processors. @default 0.5 */
  readonly cpus: number;
  /** Processes and threads. @default 64 */
  readonly processes: number;
  /** Size of the writable `/tmp` and `/dev/shm` together. @default 16777216 (16 MiB) */
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
  /** What its programs are written in, the first being what it stands ready for. */
  readonly languages: readonly LanguageName[];
  readonly limits: ResourceLimits;
  /**
   * Has it outlive its host: another process takes it over with `SandboxProvider.attach`, and it ends by
   * itself when no program has run for this time. @default it ends with its host
   */
  readonly persistent?: { readonly idleLimitMs: number };
}

/** A started sandbox with a runner in it. */
export interface Sandbox {
  /** The engine's own id: a container id, a process id. */
  readonly id: string;
  readonly transport: Transport;
  /**
   * Lets go of the streams; the sandbox goes on, and its transport is of no more use. For a persistent
   * one, for any other ends with its streams. Absent where no sandbox can outlive its host.
   */
  detach?(): Promise<void>;
  /**
   * The bytes of memory that it uses now, as its engine counts them, without a question to the runner.
   * Undefined where the engine does not say. Never throws.
   */
  memoryUsage?(): Promise<number | undefined>;
  /**
   * How it is walled in, as its engine tells now. Absent where that is not known.
   * @throws PtcError `SANDBOX_UNAVAILABLE`
   */
  security?(): Promise<SecurityReport>;
  /** Ends everything in it and returns when it is gone. May be called again. Never hangs and never throws. */
  close(): Promise<void>;
}

/**
 * What becomes of a sandbox that an engine has: `live`, its owner will end it; `orphan`, its owner
 * died without ending it; `persistent`, it runs on without one and ends by itself; `foreign`, its owner
 * is on another machine, another user's, or sees another directory of names, so nobody here can tell.
 */
export type SandboxVerdict = 'live' | 'orphan' | 'persistent' | 'foreign';

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
  | {
      readonly usable: true;
      /** Such as `Docker 28.2.2`. */ readonly description: string;
      /** Whether something firmer than a watch by the host bounds the memory of its sandboxes. @default true */
      readonly boundsMemory?: boolean;
    }
  | {
      readonly usable: false;
      readonly reason: string;
      /** What to install or start. */ readonly remedy: string;
    };

/** A place to run sandboxes. */
export interface SandboxProvider {
  /** Such as `docker`. */
  readonly name: string;
  /** What programs can be written in; an image may still lack an interpreter. */
  readonly languages: readonly LanguageName[];
  /**
   * Starts a sandbox and its runner, which need not be ready yet.
   * @throws PtcError `SANDBOX_UNAVAILABLE`, `IMAGE_UNAVAILABLE`, `SANDBOX_START_FAILED` or `ABORTED`.
   */
  create(spec: SandboxSpec, options?: CreateOptions): Promise<Sandbox>;
  /**
   * Connects to the live persistent sandbox of a session, whoever made it; undefined where there is
   * none. What an earlier host left under way goes on until the runner is told `attach`; keeping two
   * hosts from one sandbox is the caller's part. Absent where no sandbox can outlive its host.
   * @throws PtcError `SANDBOX_LOST` where it is there and cannot be connected to, `SANDBOX_UNAVAILABLE`
   * or `ABORTED`.
   */
  attach?(sessionId: string, options?: CreateOptions): Promise<Sandbox | undefined>;
  /** Really tries the engine; quick, and leaves nothing behind. */
  probe(): Promise<Availability>;
  /**
   * Makes sure that the engine has what every sandbox needs, such as an image, which may take minutes the first time.
   * `create` does the same if nobody called this. Absent if there is nothing that could be missing.
   * @throws PtcError as `create` does, or `ABORTED`.
   */
  prepare?(options?: CreateOptions): Promise<void>;
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

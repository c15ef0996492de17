import type { LanguageName } from '../protocol/messages.ts';
import type { Transport } from '../protocol/transport.ts';
import type { SessionKeys } from './keys/keys.ts';
import type { SecurityReport } from './protection.ts';
import type { SandboxSoftware } from './software/software.ts';

/** The resources that one sandbox can use. */
export interface ResourceLimits {
  /**
   * Memory of all processes and files in the sandbox, including swap.
   * @default 268435456 (256 MiB)
   */
  readonly memoryBytes: number;
  /** Processor time, in processors: 0.5 is half a processor. @default 0.5 */
  readonly cpus: number;
  /** Number of processes and threads. @default 64 */
  readonly processes: number;
  /** Size of the writable `/tmp` and `/dev/shm` together. @default 16777216 (16 MiB) */
  readonly temporaryStorageBytes: number;
}

/** The default limits, which SECURITY.md describes. */
export const DEFAULT_LIMITS: ResourceLimits = {
  memoryBytes: 256 * 1024 * 1024,
  cpus: 0.5,
  processes: 64,
  temporaryStorageBytes: 16 * 1024 * 1024,
};

/** What a provider needs to know to create a sandbox. */
export interface SandboxSpec {
  /** The id of the session that uses the sandbox. */
  readonly sessionId: string;
  /** The languages of its programs. The interpreter of the first one is started in advance. */
  readonly languages: readonly LanguageName[];
  /** What it may use, all its processes together. */
  readonly limits: ResourceLimits;
  /**
   * Lets the sandbox outlive its host. Another process can take it over with
   * `SandboxProvider.attach`. It ends by itself after no program has run for this time.
   * @default the sandbox ends with its host
   */
  readonly persistent?: { readonly idleLimitMs: number };
}

/** A started sandbox with a runner in it. */
export interface Sandbox {
  /** The id that the provider gives it: the id of a container or of a process. */
  readonly id: string;
  /** The connection to its runner. Messages that arrive before `listen` is called are kept. */
  readonly transport: Transport;
  /**
   * Closes the streams of a persistent sandbox, which continues to run. Its transport cannot be
   * used any more. A sandbox that is not persistent ends with its streams. Absent if sandboxes of
   * the provider cannot outlive their host.
   */
  detach?(): Promise<void>;
  /**
   * Returns the bytes of memory that the sandbox uses now, as the engine or the kernel counts them,
   * without asking the runner. Undefined if they are not known. Never throws.
   */
  memoryUsage?(): Promise<number | undefined>;
  /**
   * Returns the protections of the sandbox, as the engine or the system reports them now. Absent if
   * they are not known.
   * @throws PtcError `SANDBOX_UNAVAILABLE`
   */
  security?(): Promise<SecurityReport>;
  /**
   * Ends everything in the sandbox, and returns when it is gone. Can be called again. Never hangs
   * and never throws.
   */
  close(): Promise<void>;
}

/**
 * What happens to a sandbox that an engine has. `live`: its owner will end it. `orphan`: its owner
 * died without ending it. `persistent`: it runs without an owner and ends by itself. `foreign`: its
 * owner is on another machine, belongs to another user, or sees another directory of local names,
 * so this process cannot tell.
 */
export type SandboxVerdict = 'live' | 'orphan' | 'persistent' | 'foreign';

/** A sandbox that an engine has, of any process. */
export interface FoundSandbox {
  /** The engine's id of it. */
  readonly id: string;
  readonly sessionId: string;
  /** The process that created it. Undefined if its label cannot be read. */
  readonly owner: { readonly machine: string; readonly processId: number } | undefined;
  /** Milliseconds since the epoch, by the clock of the engine. */
  readonly createdAtMs: number;
  /** The state that the engine reports, such as `running`, `paused` or `created`. */
  readonly state: string;
  readonly verdict: SandboxVerdict;
}

/** Options of each function of a provider, except `close`. */
export interface ProviderCallOptions {
  /**
   * Aborts the call, which then throws `ABORTED`. What `create` has made is removed. For a time
   * limit, pass `AbortSignal.timeout(milliseconds)`.
   */
  readonly signal?: AbortSignal;
}

/** Whether a provider works on this machine. */
export type Availability =
  | {
      readonly usable: true;
      /** Such as `Docker 28.2.2`. */ readonly description: string;
      /**
       * Whether the memory of its sandboxes has a firmer limit than the host's measurements.
       * @default true
       */
      readonly boundsMemory?: boolean;
    }
  | {
      readonly usable: false;
      readonly reason: string;
      /** What to install or start. */ readonly remedy: string;
    };

/** Creates sandboxes. */
export interface SandboxProvider {
  /** Such as `docker`. */
  readonly name: string;
  /** The languages that its sandboxes can run. An image may still lack an interpreter. */
  readonly languages: readonly LanguageName[];
  /**
   * Decides which host has the session of a key. It must reach all hosts that share persistent
   * sandboxes. Absent if these are the processes of one user on one machine.
   */
  readonly keys?: SessionKeys;
  /**
   * Starts a sandbox and its runner. The runner need not be ready yet.
   * @throws PtcError `SANDBOX_UNAVAILABLE`, `IMAGE_UNAVAILABLE`, `SANDBOX_START_FAILED`, `ABORTED`,
   * or `CLOSED` if the provider was closed.
   */
  create(spec: SandboxSpec, options?: ProviderCallOptions): Promise<Sandbox>;
  /**
   * Connects to the running persistent sandbox of a session, whichever host created it. Returns
   * undefined if there is none. A program that an earlier host started continues until the runner
   * receives `attach`. The caller must make sure that only one host uses the sandbox. Absent if
   * sandboxes of the provider cannot outlive their host.
   * @throws PtcError `SANDBOX_LOST` if the sandbox exists but the connection fails,
   * `SANDBOX_UNAVAILABLE`, or `ABORTED`.
   */
  attach?(sessionId: string, options?: ProviderCallOptions): Promise<Sandbox | undefined>;
  /**
   * Checks whether the provider works, by using it. Fast, and leaves nothing behind.
   * @throws PtcError `ABORTED`
   */
  probe(options?: ProviderCallOptions): Promise<Availability>;
  /**
   * Makes sure that everything that sandboxes need is there, such as an image. The first time, this
   * can take minutes. `create` does the same if this was not called. Absent if nothing can be
   * missing.
   * @throws PtcError as `create` does, or `ABORTED`.
   */
  prepare?(options?: ProviderCallOptions): Promise<void>;
  /**
   * Returns the interpreters and libraries of its sandboxes, of which models are told. An
   * interpreter is asked once for each image or installation, not for each sandbox. Undefined if
   * the interpreters give no usable answer. Absent if they are not known.
   * @throws PtcError as `create` does, or `ABORTED`.
   */
  software?(options?: ProviderCallOptions): Promise<SandboxSoftware | undefined>;
  /**
   * Lists the sandboxes of all processes. Absent if sandboxes of the provider cannot outlive their
   * host.
   * @throws PtcError `SANDBOX_UNAVAILABLE` or `ABORTED`
   */
  findSandboxes?(options?: ProviderCallOptions): Promise<readonly FoundSandbox[]>;
  /**
   * Removes the sandboxes whose owner died without ending them, and returns those that are gone. A
   * sandbox whose owner lives, or may live, is never removed. Absent if sandboxes of the provider
   * cannot outlive their host.
   * @throws PtcError `SANDBOX_UNAVAILABLE` or `ABORTED`
   */
  removeOrphans?(options?: ProviderCallOptions): Promise<readonly FoundSandbox[]>;
  /**
   * Closes connections. Close the sandboxes first: sandboxes that are left count as orphans. Can be
   * called again.
   */
  close(): Promise<void>;
}

/**
 * Receives a message for the user about something that takes long, such as the build of an image.
 */
export type ProgressListener = (message: string) => void;

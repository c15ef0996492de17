import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { MASKED_PATHS, READ_ONLY_PATHS } from '../../sandbox/hidden-paths.ts';
import { sandboxEnvironment } from '../../sandbox/environment.ts';
import type { ResourceLimits, SandboxSpec } from '../../sandbox/sandbox.ts';
import type { EngineKind } from './engine.ts';

/**
 * Labels by which anyone finds our containers and learns whose they are. No label says when one expires:
 * labels cannot be changed, while each program puts the end of its session off. Its host's clock ends a
 * session, or its own supervisor where it is persistent, and `owner` tells an orphan at once.
 */
export const LABELS = {
  /** The provider that made it, as `encodeOwner` writes it. */
  owner: 'sandboxed-ptc.owner',
  session: 'sandboxed-ptc.session',
  /** `true` where it may outlive its owner. */
  persistent: 'sandboxed-ptc.persistent',
} as const;

/** The create body's host part. `CgroupnsMode` is missing from dockerode's types. */
export interface SandboxHostConfig extends HostConfig {
  readonly CgroupnsMode: 'private';
}

export interface SandboxContainerOptions extends ContainerCreateOptions {
  readonly name: string;
  readonly Image: string;
  readonly Labels: Record<string, string>;
  readonly User: string;
  readonly HostConfig: SandboxHostConfig;
}

export interface ContainerConfigOptions {
  readonly image: string;
  readonly command: readonly string[];
  readonly engine: EngineKind;
  /** The seccomp profile: its text for Docker, the path of a file with it for Podman. */
  readonly seccomp: string;
  /** User and group, by number: `20000:20000`. */
  readonly user: string;
  readonly owner: string;
  /** The container's name. Unique: it is what a container is removed by when its id was never learnt. */
  readonly name: string;
  /** An OCI runtime that the engine knows, such as `runsc`. @default the engine's own */
  readonly runtime: string | undefined;
}

const TEMPORARY_ENTRIES = 4096;
/** Which part of a sandbox's temporary storage is in /dev/shm: one in so many. */
const SHARED_MEMORY_PART = 8;
/** In which steps the kernel bounds a file system in memory. */
const PAGE_BYTES = 4096;

/** What the engine is asked for: the hardening profile of SECURITY.md, whole and in one place. */
export function containerConfig(
  spec: SandboxSpec,
  options: ContainerConfigOptions,
): SandboxContainerOptions {
  return {
    name: options.name,
    Image: options.image,
    // Whatever the image says about these must not count. An entrypoint sets its command aside.
    Entrypoint: [...options.command],
    Cmd: [],
    User: options.user,
    WorkingDir: '/tmp',
    Healthcheck: { Test: ['NONE'] },
    // All that a program learns of its surroundings, but for what the image itself sets.
    Env: Object.entries(sandboxEnvironment(spec.limits)).map((entry) => entry.join('=')),
    Hostname: 'sandbox',
    Labels: {
      [LABELS.owner]: options.owner,
      [LABELS.session]: spec.sessionId,
      ...(spec.persistent ? { [LABELS.persistent]: 'true' } : {}),
    },
    // Standard input ends when the host goes away, and with it the runner: no orphan stays. But the
    // runner of a persistent sandbox waits for the next host, and ends when none comes in time.
    OpenStdin: true,
    StdinOnce: spec.persistent === undefined,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    // A terminal would merge the two output streams.
    Tty: false,
    NetworkDisabled: true,
    // Nothing in there has anything to finish that an ordinary stop would have to wait for.
    StopSignal: 'SIGKILL',
    HostConfig: hostConfig(spec.limits, options),
  };
}

function hostConfig(limits: ResourceLimits, options: ContainerConfigOptions): SandboxHostConfig {
  const { runtime } = options;
  return {
    ...(runtime === undefined ? {} : { Runtime: runtime }),
    ...isolation(options),
    ...resources(limits, options),
    // The engine removes it when its process ends, be this host still there or not.
    AutoRemove: true,
    RestartPolicy: { Name: 'no' },
    // A log would be a copy of all output on the host's disk.
    LogConfig: { Type: 'none', Config: {} },
    // The supervisor itself is process 1: there it reaps, and signals from the guest do not end it.
    Init: false,
  };
}

function isolation({ engine, seccomp }: ContainerConfigOptions): SandboxHostConfig {
  return {
    // No interface but loopback. Tools are the only way out.
    NetworkMode: 'none',
    Privileged: false,
    CapDrop: ['ALL'],
    CapAdd: [],
    SecurityOpt: [
      'no-new-privileges:true',
      `seccomp=${seccomp}`,
      // Podman hides paths by this option instead of the one below.
      ...(engine === 'podman' ? [`mask=${MASKED_PATHS.join(':')}`] : []),
    ],
    ReadonlyRootfs: true,
    Binds: [],
    Mounts: [],
    Devices: [],
    // Without the engine's own /dev/shm, whose bound is not that of /tmp; `temporaryFileSystems` has another.
    IpcMode: 'none',
    CgroupnsMode: 'private',
    // The container's own, never the host's or another container's.
    PidMode: '',
    MaskedPaths: [...MASKED_PATHS],
    ReadonlyPaths: [...READ_ONLY_PATHS],
    // Not `apparmor=…`: an engine uses its own profile wherever the kernel has AppArmor, and takes the
    // option without a word where it has not.
    // Not `UsernsMode`: whether users are mapped is set for the whole engine; `doctor` tells.
  };
}

function resources(
  limits: ResourceLimits,
  { engine }: ContainerConfigOptions,
): Partial<HostConfig> {
  return {
    Memory: limits.memoryBytes,
    // Memory and swap together: equal means no swap.
    MemorySwap: limits.memoryBytes,
    NanoCpus: Math.round(limits.cpus * 1e9),
    PidsLimit: limits.processes,
    // Where the whole machine is short of memory, sandboxes go before what they serve.
    OomScoreAdj: 500,
    // No `CgroupParent` to bound all sandboxes together: a group that the engine makes has no limits
    // until root gives it some. `maxSandboxes` times these limits is the bound.
    // No `StorageOpt`: the root is read-only, so nothing is ever written to the layer that it bounds.
    // No `BlkioWeight`: no disk can be written to, and kernels without the scheduler for it drop it.
    Tmpfs: temporaryFileSystems(limits.temporaryStorageBytes, engine),
    // No `nproc`: the kernel counts it by user over all containers; PidsLimit does not.
    Ulimits: [
      ulimit('nofile', 256),
      ulimit('core', 0),
      ulimit('fsize', limits.temporaryStorageBytes),
      ulimit('memlock', 0),
    ],
  };
}

/**
 * What can be written to. Semaphores and shared memory are files in /dev/shm, which the C library knows by that name
 * only. An engine mounts each path on its own, so /dev/shm gets a part of what /tmp would have.
 */
function temporaryFileSystems(sizeBytes: number, engine: EngineKind): Record<string, string> {
  // At least a page, since a size of 0 would be no bound.
  const pages = Math.max(1, Math.floor(sizeBytes / SHARED_MEMORY_PART / PAGE_BYTES));
  const sharedBytes = pages * PAGE_BYTES;
  const sharedEntries = TEMPORARY_ENTRIES / SHARED_MEMORY_PART;
  const fileSystems = {
    '/tmp': writable(sizeBytes - sharedBytes, TEMPORARY_ENTRIES - sharedEntries, engine),
    '/dev/shm': writable(sharedBytes, sharedEntries, engine),
  };
  return engine === 'podman'
    ? // It makes a writable /var/tmp of its own, if nothing else is there.
      { ...fileSystems, '/var/tmp': 'ro,noexec,nosuid,nodev,size=4k' }
    : fileSystems;
}

/** The options of a file system from which no program can be started. */
function writable(sizeBytes: number, entries: number, engine: EngineKind): string {
  // Entries are bounded too, for each costs kernel memory; Podman does not know that option.
  const bounds =
    engine === 'podman' ? `size=${sizeBytes}` : `size=${sizeBytes},nr_inodes=${entries}`;
  return `rw,noexec,nosuid,nodev,${bounds},mode=1777`;
}

function ulimit(name: string, value: number): { Name: string; Soft: number; Hard: number } {
  return { Name: name, Soft: value, Hard: value };
}

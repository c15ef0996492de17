import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { MASKED_PATHS, READ_ONLY_PATHS } from '../../../sandbox/hidden-paths.ts';
import { sandboxEnvironment } from '../../../sandbox/environment.ts';
import type { ResourceLimits, SandboxSpec } from '../../../sandbox/sandbox.ts';
import type { EngineKind } from '../engine/engine.ts';

/**
 * Labels by which any process finds containers of this package and their owners. There is no label
 * for the expiry of a session, because labels cannot be changed, and each program postpones the
 * expiry. The host's clock ends a session, or, if it is persistent, its supervisor does. `owner`
 * tells at once whether a container is an orphan.
 */
export const LABELS = {
  /** The provider that created it, as `encodeOwner` writes it. */
  owner: 'sandboxed-ptc.owner',
  session: 'sandboxed-ptc.session',
  /** `true` if it can outlive its owner. */
  persistent: 'sandboxed-ptc.persistent',
} as const;

/** The part `HostConfig` of the request. `CgroupnsMode` is missing in dockerode's types. */
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
  /** Its id, or a name of it. */
  readonly image: string;
  readonly command: readonly string[];
  readonly engine: EngineKind;
  /** The seccomp profile: its text for Docker, the path of its file for Podman. */
  readonly seccomp: string;
  /** User and group as numbers: `20000:20000`. */
  readonly user: string;
  readonly owner: string;
  /**
   * The name of the container. It must be unique: if the engine's answer with the id is lost, the
   * container is removed by name.
   */
  readonly name: string;
  /** An OCI runtime that the engine has, such as `runsc`. @default the engine's default runtime */
  readonly runtime: string | undefined;
}

const TEMPORARY_ENTRIES = 4096;
/** /dev/shm gets one part in so many of the temporary storage. */
const SHARED_MEMORY_PART = 8;
/** The kernel limits file systems in memory in steps of a page. */
const PAGE_BYTES = 4096;

/**
 * What the engine is asked for: the hardening profile of SECURITY.md, complete and in one place.
 */
export function containerConfig(
  spec: SandboxSpec,
  options: ContainerConfigOptions,
): SandboxContainerOptions {
  return {
    name: options.name,
    Image: options.image,
    // These replace the settings of the image. With an entrypoint of ours, its command is ignored.
    Entrypoint: [...options.command],
    Cmd: [],
    User: options.user,
    WorkingDir: '/tmp',
    Healthcheck: { Test: ['NONE'] },
    // A program sees only these variables and those of the image.
    Env: Object.entries(sandboxEnvironment(spec.limits)).map((entry) => entry.join('=')),
    Hostname: 'sandbox',
    Labels: {
      [LABELS.owner]: options.owner,
      [LABELS.session]: spec.sessionId,
      ...(spec.persistent ? { [LABELS.persistent]: 'true' } : {}),
    },
    // When the host ends, standard input ends and so does the runner: no orphan remains. The runner
    // of a persistent sandbox waits for the next host instead, and ends if none connects in time.
    OpenStdin: true,
    StdinOnce: spec.persistent === undefined,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    // A terminal would merge the two output streams.
    Tty: false,
    NetworkDisabled: true,
    // Nothing in the container needs time to finish, which an ordinary stop would wait for.
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
    // The engine removes the container when its process ends, even if the host is dead.
    AutoRemove: true,
    RestartPolicy: { Name: 'no' },
    // A log would be a copy of all output on the host's disk.
    LogConfig: { Type: 'none', Config: {} },
    // The supervisor must be process 1: it reaps processes, and the kernel protects process 1 from
    // signals of the guest.
    Init: false,
  };
}

function isolation({ engine, seccomp }: ContainerConfigOptions): SandboxHostConfig {
  return {
    // No interface except loopback. Tools are the only way out.
    NetworkMode: 'none',
    Privileged: false,
    CapDrop: ['ALL'],
    CapAdd: [],
    SecurityOpt: [
      'no-new-privileges:true',
      `seccomp=${seccomp}`,
      // Podman hides paths by this option instead of `MaskedPaths`.
      ...(engine === 'podman' ? [`mask=${MASKED_PATHS.join(':')}`] : []),
    ],
    ReadonlyRootfs: true,
    Binds: [],
    Mounts: [],
    Devices: [],
    // No /dev/shm of the engine, because its limit does not count /tmp; `temporaryFileSystems`
    // mounts another one.
    IpcMode: 'none',
    CgroupnsMode: 'private',
    // Its own process namespace, never that of the host or of another container.
    PidMode: '',
    MaskedPaths: [...MASKED_PATHS],
    ReadonlyPaths: [...READ_ONLY_PATHS],
    // No `apparmor=…`: an engine uses its own profile if the kernel has AppArmor, and otherwise
    // ignores the option in silence. No `UsernsMode`: it is a setting of the whole engine, and
    // `doctor` reports it.
  };
}

function resources(
  limits: ResourceLimits,
  { engine }: ContainerConfigOptions,
): Partial<HostConfig> {
  return {
    Memory: limits.memoryBytes,
    // The limit of memory and swap together; the same number means no swap.
    MemorySwap: limits.memoryBytes,
    NanoCpus: Math.round(limits.cpus * 1e9),
    PidsLimit: limits.processes,
    // If the whole machine runs out of memory, the kernel ends sandboxes before the processes that
    // they serve.
    OomScoreAdj: 500,
    // No `CgroupParent` to limit all sandboxes together: a group that the engine creates has no
    // limits until root sets them. All sandboxes together can use `maxSandboxes` times these
    // limits. No `StorageOpt`: the root is read-only, so the layer that it limits is never written.
    // No `BlkioWeight`: no disk can be written, and kernels without its scheduler ignore it.
    Tmpfs: temporaryFileSystems(limits.temporaryStorageBytes, engine),
    // No `nproc`: the kernel counts it by user over all containers, and PidsLimit by container.
    Ulimits: [
      ulimit('nofile', 256),
      // The kernel then writes no core dump, and starts no program of the host that receives one.
      ulimit('core', 1),
      ulimit('fsize', limits.temporaryStorageBytes),
      ulimit('memlock', 0),
    ],
  };
}

/**
 * The writable file systems. Semaphores and shared memory are files in /dev/shm; the C library
 * knows only that path. An engine mounts each path separately, so /dev/shm gets a part of the
 * storage of /tmp.
 */
function temporaryFileSystems(sizeBytes: number, engine: EngineKind): Record<string, string> {
  // At least one page each, because a size of 0 would mean no limit.
  const pages = Math.max(1, Math.floor(sizeBytes / SHARED_MEMORY_PART / PAGE_BYTES));
  const sharedBytes = pages * PAGE_BYTES;
  const ownBytes = Math.max(PAGE_BYTES, sizeBytes - sharedBytes);
  const sharedEntries = TEMPORARY_ENTRIES / SHARED_MEMORY_PART;
  const fileSystems = {
    '/tmp': writable(ownBytes, TEMPORARY_ENTRIES - sharedEntries, engine),
    '/dev/shm': writable(sharedBytes, sharedEntries, engine),
  };
  return engine === 'podman'
    ? // Without a mount at /var/tmp, Podman mounts a writable one.
      { ...fileSystems, '/var/tmp': 'ro,noexec,nosuid,nodev,size=4k' }
    : fileSystems;
}

/** The options of a writable file system, in which no file can be executed. */
function writable(sizeBytes: number, entries: number, engine: EngineKind): string {
  // The number of entries is limited too, because each uses kernel memory. Podman does not support
  // that option.
  const bounds =
    engine === 'podman' ? `size=${sizeBytes}` : `size=${sizeBytes},nr_inodes=${entries}`;
  return `rw,noexec,nosuid,nodev,${bounds},mode=1777`;
}

function ulimit(name: string, value: number): { Name: string; Soft: number; Hard: number } {
  return { Name: name, Soft: value, Hard: value };
}

import { sandboxEnvironment } from '../../../sandbox/environment.ts';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';
import type { Machine } from '../check/machine.ts';

/**
 * The directories in which a sandbox and this provider look for programs: only those of the system.
 */
export const PROGRAM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The file descriptor from which `bwrap` reads the filter of system calls. `bwrap` closes it before
 * the sandbox starts.
 */
export const FILTER_DESCRIPTOR = 3;

/**
 * The file descriptor of a pipe that `bwrap` reads when the sandbox is complete. It starts the
 * command when it has read a byte, or when the pipe is closed.
 */
export const START_DESCRIPTOR = 9;

/**
 * The first file descriptor for the sandbox's files. Those between are used by the launcher and the
 * runner.
 */
export const FIRST_FILE_DESCRIPTOR: number = START_DESCRIPTOR + 1;

/** Devices that belong to no hardware. */
const DEVICES = ['null', 'full', 'random', 'urandom'];

/**
 * How many signals and timers can wait. The kernel counts them for the user in the sandbox's
 * namespace.
 */
export const PENDING_SIGNALS = 1024;

/**
 * How much more than the sandbox's limit one process can reserve for writing, because interpreters
 * reserve hundreds of megabytes that they never use. This is the kernel's limit in case the host's
 * measurement fails.
 */
const RESERVED_BYTES = 1024 * 1024 * 1024;

/** A file in a sandbox. */
export interface SandboxFile {
  readonly path: string;
  readonly content: Buffer;
  readonly isProgram: boolean;
}

/** What differs between sandboxes. */
export interface BwrapOptions {
  readonly limits: ResourceLimits;
  /** The id of its user and group in the sandbox. Not 0. */
  readonly userId: number;
  /** Whether a control group counts all memory that the kernel holds for it. */
  readonly bounded: boolean;
  /** The command that runs in it. */
  readonly command: readonly string[];
  /** Its read-only files. `bwrap` reads each from a file descriptor of its own. */
  readonly files?: readonly Pick<SandboxFile, 'path' | 'isProgram'>[];
}

/**
 * The command of a sandbox. Together with `temporaryFileSystem`, which is mounted at `/tmp` before,
 * it is the hardening profile of SECURITY.md, complete and in one place.
 */
export function bwrapCommand(machine: Machine, options: BwrapOptions): readonly string[] {
  const { limits, command } = options;
  return [
    'bwrap',
    ...isolation(machine, options),
    ...files(machine, options),
    ...environment(limits),
    '--',
    ...underLimits(limits),
    // Set after the limits: `prlimit` must be that of the system.
    ...(machine.programPath === undefined ? [] : ['env', `PATH=${machine.programPath}`]),
    ...command,
  ];
}

/**
 * The mount options of a sandbox's `/tmp`. No file in it can be executed. The number of entries is
 * limited too, because each uses kernel memory.
 */
export function temporaryFileSystem({ temporaryStorageBytes }: ResourceLimits): string {
  return `mode=1777,noexec,nosuid,nodev,size=${temporaryStorageBytes},nr_inodes=4096`;
}

function isolation(machine: Machine, { userId }: BwrapOptions): string[] {
  return [
    // One by one, because `--unshare-all` silently omits namespaces that cannot be created.
    '--unshare-user',
    '--unshare-pid',
    // No interface except loopback. Tools are the only way out.
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup',
    // A program cannot create user namespaces. The filter refuses them as well.
    ...(machine.disablesUserNamespaces ? ['--disable-userns'] : []),
    ...['--uid', String(userId), '--gid', String(userId)],
    ...['--cap-drop', 'ALL'],
    ...['--hostname', 'sandbox'],
    // A new session, so that programs cannot write input into the host's terminal (TIOCSTI).
    '--new-session',
    // The kernel ends the sandbox when its host dies.
    '--die-with-parent',
    // The supervisor must be process 1: it reaps processes, and the kernel protects process 1 from
    // signals of the guest.
    '--as-pid-1',
    ...['--seccomp', String(FILTER_DESCRIPTOR)],
    ...['--block-fd', String(START_DESCRIPTOR)],
  ];
}

/**
 * The files that the sandbox sees. Its root is an empty file system in memory, which is made
 * read-only at the end.
 */
function files(
  { links, directories, configuration, readOnly, masked }: Machine,
  { files: ownFiles = [], bounded }: BwrapOptions,
): string[] {
  return [
    // Programs and libraries of the system. Setuid bits have no effect and devices cannot be
    // opened.
    ...directories.flatMap((path) => ['--ro-bind', path, path]),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
    // Only what the loader of programs needs from /etc, and nothing that identifies the machine.
    ...configuration.flatMap((path) => ['--ro-bind', path, path]),
    ...['--proc', '/proc'],
    // If root starts the sandbox, these paths could change settings of the machine.
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...masked.files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...masked.directories.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    // Not `--dev`: its file system and its /dev/shm are storage without a limit.
    ...['--dir', '/dev'],
    // Semaphores and shared memory are files there. With the link, the limits of /tmp apply to
    // them.
    ...['--symlink', '/tmp', '/dev/shm'],
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    // Both read the same. But the machine's `zero` can also be mapped, as shared memory that
    // nothing counts.
    ...['--dev-bind', bounded ? '/dev/zero' : '/dev/full', '/dev/zero'],
    ...['--symlink', '/proc/self/fd', '/dev/fd'],
    ...['stdin', 'stdout', 'stderr'].flatMap((name, descriptor) => [
      '--symlink',
      `/proc/self/fd/${descriptor}`,
      `/dev/${name}`,
    ]),
    ...ownFiles.flatMap(({ path, isProgram }, index) => [
      ...(isProgram ? ['--perms', '0555'] : []),
      ...['--ro-bind-data', String(FIRST_FILE_DESCRIPTOR + index), path],
    ]),
    ...['--bind', '/tmp', '/tmp'],
    ...['--remount-ro', '/'],
    ...['--chdir', '/tmp'],
  ];
}

/** The only environment variables of a program. */
function environment(limits: ResourceLimits): string[] {
  const variables = { PATH: PROGRAM_PATH, ...sandboxEnvironment(limits) };
  return [
    '--clearenv',
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/**
 * Hard limits of the kernel for each process. They are set inside the sandbox, so that the number
 * of processes counts only those of the sandbox's user namespace. The spawner sets the limit of core
 * dumps, because the filter refuses to change it.
 */
function underLimits({ memoryBytes, processes, temporaryStorageBytes }: ResourceLimits): string[] {
  return [
    'prlimit',
    '--nofile=256',
    `--fsize=${temporaryStorageBytes}`,
    '--memlock=0',
    `--sigpending=${PENDING_SIGNALS}`,
    `--nproc=${processes}`,
    // Not a limit on address space, because V8 reserves terabytes of it.
    `--data=${memoryBytes + RESERVED_BYTES}`,
    '--',
  ];
}

import { sandboxEnvironment } from '../../sandbox/environment.ts';
import type { ResourceLimits } from '../../sandbox/sandbox.ts';
import type { Machine } from './machine.ts';

/** Where a sandbox finds its programs, and this provider its tools: what the system itself installed. */
export const PROGRAM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The descriptor on which `bwrap` reads the filter of system calls; it closes it before the sandbox starts. */
export const FILTER_DESCRIPTOR = 3;

/** The first one on which files for the sandbox are read. Those between are the launcher's and the runner's. */
export const FIRST_FILE_DESCRIPTOR = 9;

/** Devices of no machine. */
const DEVICES = ['null', 'full', 'random', 'urandom'];

/** How many signals and timers a process may have waiting: the kernel counts them for the sandbox's user name space. */
export const PENDING_SIGNALS = 1024;

/**
 * How much more than the sandbox's memory one process may reserve for writing: interpreters reserve
 * hundreds of megabytes that they never use. It is the bound behind the watch, which counts what is used.
 */
const RESERVED_BYTES = 1024 * 1024 * 1024;

/** What differs from one sandbox to the next. */
export interface BwrapOptions {
  readonly limits: ResourceLimits;
  /** The number of its user and group inside. Not 0. */
  readonly userId: number;
  /** Whether a control group counts all memory that it makes the kernel hold. */
  readonly bounded: boolean;
  /** What runs in it. */
  readonly command: readonly string[];
  /** Files that it has, read-only: `bwrap` reads one after the other on a descriptor each. */
  readonly files?: readonly { readonly path: string; readonly isProgram: boolean }[];
}

/**
 * The command that is a sandbox: with `temporaryFileSystem`, which it finds at `/tmp`, the hardening profile of
 * SECURITY.md, whole and in one place.
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
    ...command,
  ];
}

/**
 * With which options a sandbox's `/tmp` is mounted. No program can be started from there; entries are bounded too, for
 * each costs kernel memory.
 */
export function temporaryFileSystem({ temporaryStorageBytes }: ResourceLimits): string {
  return `mode=1777,noexec,nosuid,nodev,size=${temporaryStorageBytes},nr_inodes=4096`;
}

function isolation(machine: Machine, { userId }: BwrapOptions): string[] {
  return [
    // One by one, for `--unshare-all` would do without those that it cannot have.
    '--unshare-user',
    '--unshare-pid',
    // No interface but loopback. Tools are the only way out.
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup',
    // No namespaces of its own, which the filter refuses as well.
    ...(machine.disablesUserNamespaces ? ['--disable-userns'] : []),
    ...['--uid', String(userId), '--gid', String(userId)],
    ...['--cap-drop', 'ALL'],
    ...['--hostname', 'sandbox'],
    // Not of the terminal's session: nothing can be typed into it from inside.
    '--new-session',
    // The kernel ends it with its host, be the host still able to say so or not.
    '--die-with-parent',
    // The supervisor itself is process 1: there it reaps, and signals from the guest do not end it.
    '--as-pid-1',
    ...['--seccomp', String(FILTER_DESCRIPTOR)],
  ];
}

/** What it sees of files. Its root is an empty file system, in memory and read-only at the end. */
function files(
  { links, directories, configuration, readOnly, masked }: Machine,
  { files: ownFiles = [], bounded }: BwrapOptions,
): string[] {
  return [
    // The system's programs and libraries, with no right by their setuid bits and no devices.
    ...directories.flatMap((path) => ['--ro-bind', path, path]),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
    // Of /etc, what the loader of programs needs, and nothing that tells of the machine.
    ...configuration.flatMap((path) => ['--ro-bind', path, path]),
    ...['--proc', '/proc'],
    // For a user who is root outside, this would be the way to the machine's settings.
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...masked.files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...masked.directories.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    // Not `--dev`, whose file system is storage without a bound, and has a /dev/shm without one too.
    ...['--dir', '/dev'],
    // Semaphores and shared memory are files there. So they are within the bounds of /tmp.
    ...['--symlink', '/tmp', '/dev/shm'],
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    // Read alike, but the machine's `zero` can be mapped too, as memory that is shared and counted nowhere.
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

/** All that a program learns of its surroundings. */
function environment(limits: ResourceLimits): string[] {
  const variables = { PATH: PROGRAM_PATH, ...sandboxEnvironment(limits) };
  return [
    '--clearenv',
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/**
 * The kernel's limits of each process, hard ones. Set inside, where the number of processes counts those of
 * the sandbox's own user namespace only.
 */
function underLimits({ memoryBytes, processes, temporaryStorageBytes }: ResourceLimits): string[] {
  return [
    'prlimit',
    '--nofile=256',
    '--core=0',
    `--fsize=${temporaryStorageBytes}`,
    '--memlock=0',
    `--sigpending=${PENDING_SIGNALS}`,
    `--nproc=${processes}`,
    // Not of all address space, of which V8 reserves terabytes.
    `--data=${memoryBytes + RESERVED_BYTES}`,
    '--',
  ];
}

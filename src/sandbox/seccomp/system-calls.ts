/**
 * The system calls that programs in a sandbox can make. Every other one fails with "operation not
 * permitted". Python needs these, and the programs that it commonly starts. The list belongs to no
 * provider: each provider writes it in the form that it needs. Names that an architecture, or the
 * seccomp library of an engine, does not know are ignored.
 */

/** A group of system calls that are allowed, and the reason. */
export interface SystemCallGroup {
  readonly reason: string;
  /**
   * What the calls show or change of other sandboxes and of the host. Bubblewrap's sandboxes share
   * the installed files and sometimes the user; what they need not show is refused there
   * (`providers/bubblewrap/start/refused-calls.ts`), and this is what remains.
   */
  readonly betweenSandboxes: string;
  readonly names: readonly string[];
}

/** Splits a list at white space. */
function names(list: string): string[] {
  return list.trim().split(/\s+/);
}

export const ALLOWED_SYSTEM_CALLS: readonly SystemCallGroup[] = [
  {
    reason:
      'The memory of the process itself. Not: memfd_secret, userfaultfd, mlock, process_vm_*, NUMA policy.',
    betweenSandboxes:
      'How many processes have a page of a shared file mapped (`/proc/self/smaps`), and whether it was in memory before (the ' +
      'page faults that `getrusage` counts).',
    names: names(`brk membarrier mincore mmap mprotect mremap msync munmap
      pkey_alloc pkey_free pkey_mprotect`),
  },
  {
    reason: 'Opening, reading and writing files; only /tmp is writable. Not: open_by_handle_at.',
    betweenSandboxes:
      'Locks on shared files (`flock`). The time that a read takes shows whether others read the file before.',
    names: names(`close close_range copy_file_range creat fadvise64 fallocate fdatasync flock fsync
      ftruncate lseek open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read
      readahead readv sendfile splice tee truncate umask write writev`),
  },
  {
    reason: 'Reading metadata of files, and listing directories. Not: chroot, fanotify, inotify.',
    betweenSandboxes: 'Times of access to shared files, and the free space of their file system.',
    names: names(`access chdir faccessat faccessat2 fchdir fgetxattr flistxattr fstat fstatfs
      getcwd getdents getdents64 getxattr lgetxattr listxattr llistxattr lstat newfstatat readlink
      readlinkat stat statfs statx`),
  },
  {
    reason: 'Changing the entries of /tmp. Not: mknod, chown, setxattr, any form of mount.',
    betweenSandboxes: 'Nothing: each sandbox has its own /tmp, and everything else is read-only.',
    names: names(`chmod fchmod fchmodat fchmodat2 futimesat link linkat mkdir mkdirat rename
      renameat renameat2 rmdir symlink symlinkat unlink unlinkat utime utimensat utimes`),
  },
  {
    reason: 'File descriptors, pipes, waiting for input. Not: io_uring, vmsplice, pidfd_getfd.',
    betweenSandboxes:
      'Locks on shared files (`F_SETLK`). The kernel counts pages of pipes and files watched by epoll for the user, and ' +
      'numbers the pipes and sockets of the whole machine one after another (`fstat`).',
    names: names(`dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2
      epoll_wait eventfd eventfd2 fcntl memfd_create pipe pipe2 poll ppoll pselect6 select
      signalfd signalfd4 timerfd_create timerfd_gettime timerfd_settime`),
  },
  {
    reason:
      'Pairs of connected local sockets, as asyncio creates them. Not: bind, listen, connect.',
    betweenSandboxes: 'Nothing: both ends of a pair stay in the sandbox.',
    names: names(`getpeername getsockname getsockopt recvfrom recvmsg sendmsg sendto setsockopt
      shutdown`),
  },
  {
    reason: 'Child processes and threads. Not: ptrace, setns, unshare, modify_ldt, personality.',
    betweenSandboxes:
      'A futex in a page of a shared file wakes the processes of all sandboxes that wait for it. Otherwise ' +
      'nothing: only processes of the sandbox have an id in it.',
    names: names(`arch_prctl execve execveat exit exit_group fork futex futex_requeue futex_wait
      futex_waitv futex_wake get_robust_list pidfd_open restart_syscall rseq seccomp
      set_robust_list set_tid_address vfork wait4 waitid`),
  },
  {
    reason: 'Signals between processes of the sandbox.',
    betweenSandboxes: 'Nothing: only processes of the sandbox have an id in it.',
    names: names(`kill pause pidfd_send_signal rt_sigaction rt_sigpending rt_sigprocmask
      rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sigaltstack
      tgkill tkill`),
  },
  {
    reason: 'Time and timers. Not: setting a clock.',
    betweenSandboxes: 'Nothing that others change: all read the same clocks.',
    names: names(`alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep
      setitimer time timer_create timer_delete timer_getoverrun timer_gettime timer_settime times`),
  },
  {
    reason: 'Ids of the process and its user, process groups. Not: changing the user or group.',
    betweenSandboxes:
      'The memory, the load and the number of processes of the whole machine (`sysinfo`).',
    names: names(`capget getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid getppid
      getrandom getresgid getresuid getsid gettid getuid setpgid setsid sysinfo uname`),
  },
  {
    reason:
      'Reading limits and scheduling. Not: setrlimit, because `prlimit64` does the same. The processors of a thread can be set, because a filter cannot know which thread ids ' +
      'belong to the process. Limits and priority of other processes cannot: see the conditions below.',
    betweenSandboxes: 'Nothing: only processes of the sandbox have an id in it.',
    names: names(`getpriority getrlimit getrusage sched_get_priority_max sched_get_priority_min
      sched_getaffinity sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity
      sched_yield`),
  },
];

/**
 * A system call that its arguments decide on. With `withoutFlags`, it is allowed if its first
 * argument has none of these bits. With `onlyWith`, it is allowed if its first arguments have these
 * values. With `anyOf`, it is allowed if all arguments of one of these lists have their values. With
 * `commands`, it is allowed if the low 32 bits of `argument`, which are all that the kernel reads, are
 * one of these values. With `failsWith`, it is always refused, with this error number instead of "not
 * permitted".
 */
export type ConditionalSystemCall = { readonly name: string; readonly reason: string } & (
  | { readonly withoutFlags: number }
  | { readonly onlyWith: readonly number[] }
  | { readonly anyOf: readonly (readonly ArgumentValue[])[] }
  | {
      readonly argument: number;
      readonly commands: readonly number[];
      /** The number of the error of all other commands. In Docker, it is "not permitted". */
      readonly otherwise: number;
    }
  | { readonly failsWith: number }
);

/** All 64 bits of an argument. */
export interface ArgumentValue {
  readonly argument: number;
  readonly value: number;
}

/** A system call of the list that one provider refuses nevertheless. */
export interface RefusedSystemCall {
  readonly name: string;
  readonly reason: string;
  /** The number of the error. @default EPERM */
  readonly failsWith?: number;
  /**
   * Refused only if the bits `mask` of this argument have this value. The kernel takes flags and
   * commands from the low 32 bits, so the filter checks only those.
   * @default always refused
   */
  readonly onlyIf?: { readonly argument: number; readonly mask: number; readonly value: number };
}

const AF_UNIX = 1;
const EINVAL = 22;
const ENOTTY = 25;
const ENOSYS = 38;
const PRIO_PROCESS = 0;
const ITSELF = 0;
const NOTHING = 0;
const RLIMIT_CORE = 4;
const MADV_MERGEABLE = 12;
const PR_SCHED_CORE = 62;
const PR_SET_MEMORY_MERGE = 67;

/** The numbers from 0 to `last`, except these. */
function upTo(last: number, ...except: number[]): number[] {
  return Array.from({ length: last + 1 }, (_, number) => number).filter(
    (number) => !except.includes(number),
  );
}

/** The rest of the list: system calls whose name alone does not decide. */
export const CONDITIONAL_SYSTEM_CALLS: readonly ConditionalSystemCall[] = [
  {
    name: 'clone',
    reason:
      'Processes and threads, but no namespaces (except NEWTIME, which `clone` cannot create).',
    withoutFlags: 0x7e02_0000,
  },
  {
    name: 'clone3',
    reason:
      'Its flags are in memory, where a filter cannot see them. With ENOSYS, libc uses `clone`.',
    failsWith: ENOSYS,
  },
  { name: 'socket', reason: 'Local sockets only.', onlyWith: [AF_UNIX] },
  {
    name: 'socketpair',
    reason:
      'Local sockets only. The kernel creates a socket of any family before it finds that the family has no pairs, and may load ' +
      'its module for that.',
    onlyWith: [AF_UNIX],
  },
  {
    name: 'ioctl',
    reason:
      'Only what interpreters and shells ask of a descriptor: whether it is a terminal (`TCGETS`, `TCGETS2`, `TIOCGPGRP`, ' +
      '`TIOCGWINSZ`), how much can be read (`FIONREAD`), and settings of the descriptor (`FIONBIO`, `FIOCLEX`, `FIONCLEX`). ' +
      'Not: commands of file systems, by which a program sees whether others have read a file, and can leave marks that ' +
      'others see. Not: commands of namespaces, devices and network interfaces. No sandbox has a terminal.',
    argument: 1,
    commands: [0x5401, 0x802c_542a, 0x540f, 0x5413, 0x541b, 0x5421, 0x5451, 0x5450],
    otherwise: ENOTTY,
  },
  {
    name: 'prlimit64',
    reason:
      'Limits of the process itself, as `getrlimit` does, and not those of the supervisor. The supervisor has the ' +
      'same user, so the kernel would let a program reduce its file descriptors or processor time. The limit of core ' +
      'dumps can only be read: with any other limit than 1, the kernel starts the program of `core_pattern`, if the ' +
      'machine has one, outside the sandbox and as root, each time a process of the sandbox crashes.',
    anyOf: [
      [
        { argument: 0, value: ITSELF },
        { argument: 2, value: NOTHING },
      ],
      ...upTo(15, RLIMIT_CORE).map((value) => [
        { argument: 0, value: ITSELF },
        { argument: 1, value },
      ]),
    ],
  },
  {
    name: 'madvise',
    reason:
      'Advice about memory. Not: memory that the kernel merges with equal memory of other processes (`MADV_MERGEABLE`), ' +
      'because the time of a write then shows what others have in theirs.',
    argument: 2,
    // Those of the memory itself are the last two, MADV_GUARD_INSTALL and MADV_GUARD_REMOVE.
    commands: [...upTo(25, MADV_MERGEABLE), 102, 103],
    otherwise: EINVAL,
  },
  {
    name: 'prctl',
    reason:
      'Settings of the process itself. Not: `PR_SET_MEMORY_MERGE`, as `MADV_MERGEABLE`, for all memory of a process. ' +
      'Not: core scheduling (`PR_SCHED_CORE`), which keeps all others from the second thread of a core, beyond the limit ' +
      'of processor time.',
    argument: 0,
    // The last three are PR_SET_VMA, PR_SET_PTRACER and PR_GET_AUXV.
    commands: [
      ...upTo(80, PR_SCHED_CORE, PR_SET_MEMORY_MERGE),
      ...[0x5356_4d41, 0x5961_6d61, 0x4155_5856],
    ],
    otherwise: EINVAL,
  },
  {
    name: 'sched_setscheduler',
    reason:
      'Scheduling of the process itself, not of the supervisor, which must stop the program in time.',
    onlyWith: [ITSELF],
  },
  {
    name: 'setpriority',
    reason: 'Priority of the process itself, as `nice` does, not of the supervisor.',
    onlyWith: [PRIO_PROCESS, ITSELF],
  },
];

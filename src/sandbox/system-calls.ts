/**
 * The system calls that a sandbox may make; every other one fails with "operation not permitted".
 * Python, and what it commonly starts, needs these. Nothing here is of any one engine: a provider
 * writes the list in the form that its engine takes. Names that an architecture or an engine's
 * seccomp library does not know are passed over by it.
 */

/** Why a group of system calls is allowed, and which they are. */
export interface SystemCallGroup {
  readonly reason: string;
  readonly names: readonly string[];
}

/** Splits a list as it is easiest to read: by white space. */
function names(list: string): string[] {
  return list.trim().split(/\s+/);
}

export const ALLOWED_SYSTEM_CALLS: readonly SystemCallGroup[] = [
  {
    reason: 'Its own memory. Not: memfd_secret, userfaultfd, mlock, process_vm_*, NUMA policy.',
    names: names(`brk madvise membarrier mincore mmap mprotect mremap msync munmap
      pkey_alloc pkey_free pkey_mprotect`),
  },
  {
    reason: 'Opening, reading and writing files: read-only but for /tmp. Not: open_by_handle_at.',
    names: names(`close close_range copy_file_range creat fadvise64 fallocate fdatasync flock fsync
      ftruncate lseek open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read
      readahead readv sendfile splice tee truncate umask write writev`),
  },
  {
    reason: 'Asking about files and directories, and walking them. Not: chroot, fanotify, inotify.',
    names: names(`access chdir faccessat faccessat2 fchdir fgetxattr flistxattr fstat fstatfs
      getcwd getdents getdents64 getxattr lgetxattr listxattr llistxattr lstat newfstatat readlink
      readlinkat stat statfs statx`),
  },
  {
    reason: 'Changing directory entries of /tmp. Not: mknod, chown, setxattr, any form of mount.',
    names: names(`chmod fchmod fchmodat fchmodat2 futimesat link linkat mkdir mkdirat rename
      renameat renameat2 rmdir symlink symlinkat unlink unlinkat utime utimensat utimes`),
  },
  {
    reason: 'Descriptors, pipes, waiting for input. Not: io_uring, vmsplice, pidfd_getfd.',
    names: names(`dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2
      epoll_wait eventfd eventfd2 fcntl ioctl memfd_create pipe pipe2 poll ppoll pselect6 select
      signalfd signalfd4 timerfd_create timerfd_gettime timerfd_settime`),
  },
  {
    reason: 'Pairs of connected local sockets, as asyncio makes them. Not: bind, listen, connect.',
    names: names(`getpeername getsockname getsockopt recvfrom recvmsg sendmsg sendto setsockopt
      shutdown socketpair`),
  },
  {
    reason: 'Child processes and threads. Not: ptrace, setns, unshare, modify_ldt, personality.',
    names: names(`arch_prctl execve execveat exit exit_group fork futex futex_requeue futex_wait
      futex_waitv futex_wake get_robust_list pidfd_open prctl restart_syscall rseq seccomp
      set_robust_list set_tid_address vfork wait4 waitid`),
  },
  {
    reason: 'Signals among its own processes.',
    names: names(`kill pause pidfd_send_signal rt_sigaction rt_sigpending rt_sigprocmask
      rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sigaltstack
      tgkill tkill`),
  },
  {
    reason: 'Time and timers. Not: setting a clock.',
    names: names(`alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep
      setitimer time timer_create timer_delete timer_getoverrun timer_gettime timer_settime times`),
  },
  {
    reason: 'Asking who and where it is, and process groups. Not: becoming another user or group.',
    names: names(`capget getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid getppid
      getrandom getresgid getresuid getsid gettid getuid setpgid setsid sysinfo uname`),
  },
  {
    reason:
      'Lowering its own limits, as raising them needs a capability that it lacks, and asking about ' +
      'limits and scheduling. Which processors it runs on is for a process to say of its threads, ' +
      'whose ids no filter knows. Not, of other processes: limits and priority, see the conditions below.',
    names: names(`getpriority getrlimit getrusage sched_get_priority_max sched_get_priority_min
      sched_getaffinity sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity
      sched_yield setrlimit`),
  },
];

/**
 * A system call that is allowed, or refused, by what its arguments are: allowed where its first argument
 * has none of the bits `withoutFlags`, or where its first arguments are `onlyWith`; or always refused,
 * with the number of an error in place of "not permitted".
 */
export type ConditionalSystemCall = { readonly name: string; readonly reason: string } & (
  | { readonly withoutFlags: number }
  | { readonly onlyWith: readonly number[] }
  | { readonly failsWith: number }
);

/** A system call on the list that one engine refuses all the same. */
export interface RefusedSystemCall {
  readonly name: string;
  readonly reason: string;
  /** The number of the error. @default EPERM */
  readonly failsWith?: number;
  /**
   * Refused only if the bits `mask` of this argument are `value`. The kernel takes flags and commands from
   * the low 32 bits, so the filter looks at no others. @default refused always
   */
  readonly onlyIf?: { readonly argument: number; readonly mask: number; readonly value: number };
}

const AF_UNIX = 1;
const ENOSYS = 38;
const PRIO_PROCESS = 0;
const ITSELF = 0;

/** The rest of the list: what the name of a call is not enough to decide on. */
export const CONDITIONAL_SYSTEM_CALLS: readonly ConditionalSystemCall[] = [
  {
    name: 'clone',
    reason: 'Processes and threads, but no namespaces: NEWTIME aside, which `clone` cannot take.',
    withoutFlags: 0x7e02_0000,
  },
  {
    name: 'clone3',
    reason:
      'Its flags are in memory, where a filter cannot see them. "Not there" has libc use `clone`.',
    failsWith: ENOSYS,
  },
  { name: 'socket', reason: 'Local sockets only.', onlyWith: [AF_UNIX] },
  {
    name: 'prlimit64',
    reason:
      'Its own limits, as `getrlimit` has it, and not those of the supervisor: it is of the same user, ' +
      'so the kernel would let a program take descriptors or processor time from it.',
    onlyWith: [ITSELF],
  },
  {
    name: 'sched_setscheduler',
    reason: 'Its own scheduling, and not that of the supervisor, which has to stop it in time.',
    onlyWith: [ITSELF],
  },
  {
    name: 'setpriority',
    reason: 'Its own priority, as `nice` has it, and not that of the supervisor.',
    onlyWith: [PRIO_PROCESS, ITSELF],
  },
];

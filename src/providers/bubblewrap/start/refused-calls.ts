import type { RefusedSystemCall } from '../../../sandbox/seccomp/system-calls.ts';

const EINVAL = 22;
const ENOSYS = 38;
const EOPNOTSUPP = 95;
const SUCCESS = 0;
const WHOLE_ARGUMENT = 0xffff_ffff;

/** Refused in every sandbox. */
const ALWAYS: readonly RefusedSystemCall[] = [
  {
    name: 'memfd_create',
    reason: 'Files in memory, whose pages `/proc` does not count. Files in `/tmp` can do the same.',
  },
];

/**
 * System calls by which a program learns what other sandboxes and the host do with the files and the
 * memory of the machine that they share, or disturbs them. The installed programs and libraries are
 * the same files in all sandboxes, and belong to the sandbox's user if its host's user installed
 * them. Refused in every sandbox. `system-calls.ts` says for each group of calls what remains.
 */
const OBSERVING: readonly RefusedSystemCall[] = [
  {
    name: 'fcntl',
    reason: 'Signals about each use of the files of a directory (`F_NOTIFY`), whoever uses them.',
    failsWith: EINVAL,
    onlyIf: { argument: 1, mask: WHOLE_ARGUMENT, value: 1026 },
  },
  {
    name: 'fcntl',
    reason:
      'A lease (`F_SETLEASE`) on a file of its own user: it shows that another process opens the file, and delays that ' +
      'process for up to 45 seconds.',
    failsWith: EINVAL,
    onlyIf: { argument: 1, mask: WHOLE_ARGUMENT, value: 1024 },
  },
  {
    name: 'fcntl',
    reason: '`F_SETDELEG`, as `F_SETLEASE`, for directories too.',
    failsWith: EINVAL,
    onlyIf: { argument: 1, mask: WHOLE_ARGUMENT, value: 1040 },
  },
  {
    name: 'fcntl',
    reason: 'A mark on a file of its own user that all others can read (`F_SET_RW_HINT`).',
    failsWith: EINVAL,
    onlyIf: { argument: 1, mask: WHOLE_ARGUMENT, value: 1036 },
  },
  {
    name: 'openat2',
    reason:
      'It can fail if the kernel does not have the path in memory (`RESOLVE_CACHED`), which shows whether others used the path. ' +
      'The flag is in memory, where a filter cannot see it. Programs use `openat` instead.',
    failsWith: ENOSYS,
  },
  {
    name: 'preadv2',
    reason:
      'A read that fails if the file is not in memory (`RWF_NOWAIT`) shows whether others read it.',
    failsWith: EOPNOTSUPP,
    onlyIf: { argument: 5, mask: 0x8, value: 0x8 },
  },
  {
    name: 'preadv2',
    reason:
      'A read that leaves nothing in memory (`RWF_DONTCACHE`), so that its time shows again and again whether others read ' +
      'the file.',
    failsWith: EOPNOTSUPP,
    onlyIf: { argument: 5, mask: 0x80, value: 0x80 },
  },
  {
    name: 'mincore',
    reason: 'Which parts of a file are in memory, as `RWF_NOWAIT`. Libraries do without it.',
    failsWith: ENOSYS,
  },
  {
    name: 'fadvise64',
    reason:
      'Removal of a file from memory (`POSIX_FADV_DONTNEED`), so that the next reader shows by it. It is only advice, so ' +
      'it succeeds and has no effect.',
    failsWith: SUCCESS,
    onlyIf: { argument: 3, mask: WHOLE_ARGUMENT, value: 4 },
  },
  {
    name: 'madvise',
    reason:
      'Removal of a mapped file from memory (`MADV_PAGEOUT`), as `POSIX_FADV_DONTNEED`, if it belongs to its own user. It ' +
      'is only advice too.',
    failsWith: SUCCESS,
    onlyIf: { argument: 2, mask: WHOLE_ARGUMENT, value: 21 },
  },
  {
    name: 'fsync',
    reason:
      'It makes the file system of a file that was opened for reading write to its disk, and waits for what others wrote. ' +
      'Files in `/tmp` have no disk, so it succeeds and has no effect.',
    failsWith: SUCCESS,
  },
  { name: 'fdatasync', reason: 'As `fsync`.', failsWith: SUCCESS },
  {
    name: 'msync',
    reason: 'As `fsync`, for a mapped file (`MS_SYNC`).',
    failsWith: SUCCESS,
    onlyIf: { argument: 2, mask: 0x4, value: 0x4 },
  },
];

/**
 * System calls by which a program makes the kernel hold memory that no file of `/proc` shows. They
 * are refused if no control group counts that memory.
 */
const UNCOUNTED: readonly RefusedSystemCall[] = [
  {
    name: 'mmap',
    reason:
      'Shared anonymous pages (`MAP_SHARED` with `MAP_ANONYMOUS`): they remain in memory after they are removed from the page ' +
      'tables, and only pages in page tables are counted. Shared files in `/tmp` are counted.',
    onlyIf: { argument: 3, mask: 0x21, value: 0x21 },
  },
  {
    name: 'splice',
    reason:
      'Pages of files in sockets and pipes: each byte keeps its whole page, even after the file is deleted.',
  },
  { name: 'tee', reason: 'As `splice`.' },
  {
    name: 'sendfile',
    reason: 'As `splice`. With this error, programs copy by reading and writing instead.',
    failsWith: EINVAL,
  },
  {
    name: 'setsockopt',
    reason:
      'Larger buffers and filters of sockets. With buffers of the default size, the number of sockets limits them.',
  },
  {
    name: 'seccomp',
    reason: 'Filters of system calls can take a megabyte or more for each process.',
  },
  {
    name: 'prctl',
    reason: '`PR_SET_SECCOMP`, as `seccomp`.',
    onlyIf: { argument: 0, mask: WHOLE_ARGUMENT, value: 22 },
  },
  {
    name: 'prctl',
    reason:
      '`PR_FUTEX_HASH`: a table of futexes of its own, of a gigabyte or more for each process. The kernel itself makes ' +
      'one of a few kilobytes if a process has threads.',
    onlyIf: { argument: 0, mask: WHOLE_ARGUMENT, value: 78 },
  },
  {
    name: 'fcntl',
    reason:
      'Locks of open files (`F_OFD_SETLK`), which the kernel lists without their owner. Locks of processes are counted.',
    failsWith: EINVAL,
    onlyIf: { argument: 1, mask: WHOLE_ARGUMENT, value: 37 },
  },
  {
    name: 'fcntl',
    reason: '`F_OFD_SETLKW`, as `F_OFD_SETLK`.',
    failsWith: EINVAL,
    onlyIf: { argument: 1, mask: WHOLE_ARGUMENT, value: 38 },
  },
];

/**
 * System calls that hide file descriptors from `/proc`, and those that use up what the kernel counts
 * for a user. They are refused if the host counts what file descriptors hold, or has the sandbox's
 * user.
 */
const OF_THE_USER: readonly RefusedSystemCall[] = [
  {
    name: 'fcntl',
    reason:
      'Larger pipes (`F_SETPIPE_SZ`): the host counts each pipe as if it were full, and 64 pipes of 1 MiB are enough for the ' +
      'kernel to make all further pipes of the user small.',
    onlyIf: { argument: 1, mask: WHOLE_ARGUMENT, value: 1031 },
  },
  {
    name: 'sendmsg',
    reason:
      'A file descriptor that was sent and not yet received belongs to no process. `sendto` can send data.',
  },
  {
    name: 'clone',
    reason:
      'A thread (`CLONE_THREAD`) with its own file descriptors (no `CLONE_FILES`): `/proc` shows those of the process.',
    onlyIf: { argument: 0, mask: 0x1_0400, value: 0x1_0000 },
  },
  {
    name: 'close_range',
    reason:
      '`CLOSE_RANGE_UNSHARE` also gives a thread its own file descriptors. Libraries close ranges without it.',
    failsWith: EINVAL,
    onlyIf: { argument: 2, mask: 0x2, value: 0x2 },
  },
];

/**
 * The system calls of the list that the filter of a sandbox refuses nevertheless.
 * @param bounded - Whether a control group counts what the kernel holds for the sandbox.
 * @param watched - Whether the host measures the sandbox (`MemoryWatch`).
 */
export function refusedCalls(bounded: boolean, watched: boolean): readonly RefusedSystemCall[] {
  return [...ALWAYS, ...OBSERVING, ...(bounded ? [] : UNCOUNTED), ...(watched ? OF_THE_USER : [])];
}

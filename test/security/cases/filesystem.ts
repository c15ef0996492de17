import { programs, tests, type SecurityCase } from './security-case.ts';

export const FILESYSTEM: readonly SecurityCase[] = [
  {
    case: 26,
    title: 'a program cannot write outside /tmp',
    proofs: [...programs('filesystem/26-machine', 'filesystem/26-remount', 'filesystem/26-root')],
  },
  {
    case: 27,
    title: '/tmp is full at its size',
    proofs: [...programs('filesystem/27-long-file', 'filesystem/27-size')],
  },
  {
    case: 28,
    title: 'no storage escapes the limit of /tmp',
    proofs: [
      ...programs(
        'filesystem/28-device-files',
        'filesystem/28-one-storage',
        'filesystem/28-shared-memory',
      ),
    ],
  },
  {
    case: 29,
    title: 'the number of files reaches its limit before the memory does',
    proofs: [...programs('filesystem/29-inodes')],
  },
  {
    case: 30,
    title: 'files in /tmp count as memory, and a session survives a full /tmp',
    proofs: [
      ...programs('filesystem/30-pages'),
      {
        gap: 'session.info() shows that files use up a session’s memory, but nothing suggests a new session',
      },
    ],
  },
  {
    case: 31,
    title: 'what is copied out is a plain file',
    proofs: [
      ...programs('filesystem/31-devices', 'filesystem/31-links'),
      { gap: 'the library does not copy files out of a sandbox' },
    ],
  },
  {
    case: 32,
    title: 'files can have any name and any depth',
    proofs: [...programs('filesystem/32-depth', 'filesystem/32-names')],
  },
  {
    case: 33,
    title: 'a program can neither write nor shadow the runner’s files',
    proofs: [...programs('filesystem/33-runner-files', 'filesystem/33-shadowing')],
  },
  {
    case: 34,
    title: 'a program sees no file of another session',
    proofs: [
      ...programs('filesystem/34-other-sessions'),
      ...tests(
        'providers/embedded/isolation.test.ts',
        'sees a file system of its own, with nothing of the machine in it',
      ),
    ],
  },
  {
    case: 144,
    title: 'a program does not see which of the files that sandboxes share others use',
    proofs: [
      ...programs('filesystem/144-commands', 'filesystem/144-watching'),
      ...tests(
        'providers/bubblewrap/refused-calls.test.ts',
        'advice to remove a file from memory succeeds without effect, and other advice reaches the kernel',
      ),
    ],
  },
  {
    case: 35,
    title: 'there is no log on the host’s disk',
    proofs: [
      ...tests('providers/docker/container-config.test.ts', 'leaves no log on the host’s disk'),
    ],
  },
];

import { programs, tests, type SecurityCase } from './security-case.ts';

export const FILESYSTEM: readonly SecurityCase[] = [
  {
    case: 26,
    title: 'no writing outside /tmp',
    proofs: [...programs('filesystem/26-machine', 'filesystem/26-remount', 'filesystem/26-root')],
  },
  {
    case: 27,
    title: '/tmp is full at its size',
    proofs: [...programs('filesystem/27-long-file', 'filesystem/27-size')],
  },
  {
    case: 28,
    title: 'no storage beside the bound of /tmp',
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
    title: 'entries run out before memory does',
    proofs: [...programs('filesystem/29-inodes')],
  },
  {
    case: 30,
    title: 'pages of /tmp count, and are survived',
    proofs: [
      ...programs('filesystem/30-pages'),
      {
        gap: 'that a session’s memory is used up by its files is shown by session.info(), and no new session is suggested',
      },
    ],
  },
  {
    case: 31,
    title: 'what is copied out is a plain file',
    proofs: [
      ...programs('filesystem/31-devices', 'filesystem/31-links'),
      { gap: 'nothing is copied out of a sandbox yet' },
    ],
  },
  {
    case: 32,
    title: 'any name and any depth of files',
    proofs: [...programs('filesystem/32-depth', 'filesystem/32-names')],
  },
  {
    case: 33,
    title: 'the runner’s files are not written and not shadowed',
    proofs: [...programs('filesystem/33-runner-files', 'filesystem/33-shadowing')],
  },
  {
    case: 34,
    title: 'no file of another session',
    proofs: [
      ...programs('filesystem/34-other-sessions'),
      ...tests(
        'providers/embedded/isolation.test.ts',
        'sees a file system of its own, with nothing of the machine in it',
      ),
    ],
  },
  {
    case: 35,
    title: 'no log on the host’s disk',
    proofs: [
      ...tests('providers/docker/container-config.test.ts', 'leaves no log on the host’s disk'),
    ],
  },
];

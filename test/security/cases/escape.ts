import { programs, tests, type SecurityCase } from './security-case.ts';

export const ESCAPE: readonly SecurityCase[] = [
  {
    case: 1,
    title: 'no namespaces of its own',
    proofs: [...programs('escape/01-clone', 'escape/01-clone3', 'escape/01-unshare')],
  },
  {
    case: 2,
    title: 'no mount, no other root',
    proofs: [...programs('escape/02-mount', 'escape/02-mounts-of-ours')],
  },
  {
    case: 3,
    title: 'no tracing, reading or ending of other processes',
    proofs: [...programs('escape/03-ptrace', 'escape/03-signals', 'escape/03-supervisor')],
  },
  {
    case: 4,
    title: 'none of the kernel’s dangerous interfaces',
    proofs: [...programs('escape/04-kernel-interfaces')],
  },
  { case: 5, title: 'no io_uring', proofs: [...programs('escape/05-io-uring')] },
  {
    case: 6,
    title: 'none of the memory calls that escapes like',
    proofs: [...programs('escape/06-rare-memory')],
  },
  {
    case: 7,
    title: 'no other user, no capability, no setting of what is the machine’s',
    proofs: [...programs('escape/07-capabilities', 'escape/07-identity')],
  },
  {
    case: 8,
    title: 'no memory, switches or engine socket of the machine',
    proofs: [...programs('escape/08-machine-files')],
  },
  {
    case: 9,
    title: 'nothing that tells about the machine',
    proofs: [
      ...programs('escape/09-environment', 'escape/09-identity', 'escape/09-leaks'),
      { gap: 'the mount table names the engine’s directories; no engine can hide it' },
    ],
  },
  {
    case: 10,
    title: 'no file that a program wrote can be started',
    proofs: [
      ...programs('escape/10-memfd', 'escape/10-noexec', 'escape/10-processes'),
      {
        gap: 'bytes in memory can be started as a program (memfd): accepted, for it has no more rights',
      },
    ],
  },
  {
    case: 11,
    title: 'no setuid file, and no gain by one',
    proofs: [...programs('escape/11-setuid')],
  },
  {
    case: 12,
    title: 'no debugging of another process',
    proofs: [
      ...programs('escape/12-other-processes'),
      { gap: 'the inspector of a Node guest: no JavaScript guest yet' },
    ],
  },
  {
    case: 13,
    title: 'no overwriting of the executable, no descriptor that leads out',
    proofs: [
      ...programs('escape/13-executable'),
      ...tests(
        'providers/docker/engine-notes.test.ts',
        'has no note about a version that cannot be parsed or is not reported',
        'is nothing where it is up to date, with runc %s',
      ),
    ],
  },
  {
    case: 14,
    title: 'no image weakens the profile',
    proofs: [
      ...tests(
        'providers/docker/image.test.ts',
        'cannot replace the runner by an entrypoint, a user or a health check of its own',
        'is refused if it would add storage without a limit',
      ),
      ...tests(
        'providers/docker/container-config.test.ts',
        'runs only our command, whatever entrypoint, command, user or health check its image has',
      ),
    ],
  },
  {
    case: 15,
    title: 'bubblewrap is not started by root',
    proofs: [
      ...tests(
        'providers/bubblewrap/hardening.test.ts',
        'is a process of no system user outside either',
      ),
    ],
  },
  {
    case: 16,
    title: 'a guest’s descriptors are exactly its own',
    proofs: [
      ...programs('escape/16-descriptors'),
      ...tests(
        'providers/bubblewrap/hardening.test.ts',
        'gets only its three descriptors, whatever its host has open',
      ),
    ],
  },
  {
    case: 17,
    title: 'bubblewrap has a filter',
    proofs: [
      ...tests(
        'providers/bubblewrap/hardening.test.ts',
        'starts under its filter, and nothing runs before it',
      ),
      ...tests(
        'sandbox/seccomp-program.test.ts',
        'allows what is on the list and refuses every other number',
        'the kernel accepts the filter and applies it',
      ),
    ],
  },
  {
    case: 18,
    title: 'bubblewrap has no nested user namespaces',
    proofs: [
      ...tests(
        'providers/bubblewrap/hardening.test.ts',
        'cannot make a user namespace, by any tool of the machine',
      ),
    ],
  },
];

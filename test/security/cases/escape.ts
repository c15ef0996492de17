import { programs, tests, type SecurityCase } from './security-case.ts';

export const ESCAPE: readonly SecurityCase[] = [
  {
    case: 1,
    title: 'a program gets no namespaces of its own',
    proofs: [...programs('escape/01-clone', 'escape/01-clone3', 'escape/01-unshare')],
  },
  {
    case: 2,
    title: 'a program cannot mount or change its root',
    proofs: [...programs('escape/02-mount', 'escape/02-mounts-of-ours')],
  },
  {
    case: 3,
    title: 'a program cannot trace, read or end other processes',
    proofs: [...programs('escape/03-ptrace', 'escape/03-signals', 'escape/03-supervisor')],
  },
  {
    case: 4,
    title: 'the kernel’s dangerous interfaces are not available',
    proofs: [...programs('escape/04-kernel-interfaces')],
  },
  { case: 5, title: 'io_uring is not available', proofs: [...programs('escape/05-io-uring')] },
  {
    case: 6,
    title: 'memory calls that exploits use are not available',
    proofs: [...programs('escape/06-rare-memory')],
  },
  {
    case: 7,
    title:
      'a program gets no other user and no capability, and cannot change settings of the machine',
    proofs: [...programs('escape/07-capabilities', 'escape/07-identity')],
  },
  {
    case: 8,
    title: 'the machine’s memory, its kernel switches and the engine’s socket are not visible',
    proofs: [...programs('escape/08-machine-files')],
  },
  {
    case: 9,
    title: 'nothing that describes the machine is visible',
    proofs: [
      ...programs(
        'escape/09-counters',
        'escape/09-environment',
        'escape/09-identity',
        'escape/09-leaks',
      ),
      { gap: 'the mount table names the engine’s directories, and an engine cannot hide it' },
    ],
  },
  {
    case: 10,
    title: 'a file that a program wrote cannot be executed',
    proofs: [
      ...programs('escape/10-memfd', 'escape/10-noexec', 'escape/10-processes'),
      {
        gap: 'a program can start another one from memory (memfd), which is accepted because that one has no more rights',
      },
    ],
  },
  {
    case: 11,
    title: 'there is no setuid file, or it has no effect',
    proofs: [...programs('escape/11-setuid')],
  },
  {
    case: 12,
    title: 'a program cannot debug another process',
    proofs: [
      ...programs('escape/12-other-processes'),
      {
        gap: 'the case is about other processes; javascript/119-processes tries the inspector of a Node guest itself',
      },
    ],
  },
  {
    case: 13,
    title: 'a program cannot overwrite the executable, and no descriptor leads out of the sandbox',
    proofs: [
      ...programs('escape/13-executable'),
      ...tests(
        'providers/docker/engine-notes.test.ts',
        'has no note about a version that cannot be parsed or is not reported',
        'is nothing if it is up to date, with runc %s',
      ),
    ],
  },
  {
    case: 14,
    title: 'an image cannot weaken the profile',
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

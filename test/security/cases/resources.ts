import { programs, tests, type SecurityCase } from './security-case.ts';

export const RESOURCES: readonly SecurityCase[] = [
  {
    case: 36,
    title: 'a fork bomb stops',
    proofs: [...programs('resources/36-fork-bomb', 'resources/36-fork-storm')],
  },
  {
    case: 37,
    title: 'the supervisor works even if no process can be started',
    proofs: [...programs('resources/37-full-of-processes')],
  },
  {
    case: 38,
    title: 'a program that takes all memory is reported as out of memory',
    proofs: [
      ...programs(
        'resources/38-memory-bomb',
        'resources/38-first-thread',
        'resources/38-open-texts',
        'resources/38-page-tables',
        'resources/38-pinned-pages',
        'resources/38-relay',
        'resources/38-shared-pages',
        'resources/38-sockets',
        'resources/38-zero-device',
      ),
      ...tests(
        'providers/bubblewrap/memory.test.ts',
        'is bounded for %s, whose end is told for what it is',
        'is limited for all processes together',
        'is limited for mappings',
        'is limited for files that epoll watches, which the kernel counts by user',
      ),
      ...tests(
        'providers/embedded/limits.test.ts',
        'a program that fills a variable with %s objects ends for want of memory',
      ),
    ],
  },
  {
    case: 39,
    title: 'a child that runs out of memory does not end its parent',
    proofs: [...programs('resources/39-child-memory')],
  },
  {
    case: 40,
    title: 'a forged exit status is not reported as out of memory',
    proofs: [...programs('resources/40-forged-kill', 'resources/40-forged-status')],
  },
  {
    case: 41,
    title: 'descriptors are limited, and a program cannot use up the machine’s terminals',
    proofs: [
      ...programs('resources/41-descriptors', 'resources/41-many-files', 'resources/41-terminals'),
    ],
  },
  { case: 42, title: 'processor time is limited', proofs: [...programs('resources/42-processor')] },
  {
    case: 43,
    title: 'swallowed interrupts end the interpreter',
    proofs: [...programs('resources/43-swallowed-interrupt')],
  },
  {
    case: 44,
    title: 'ignored signals do not delay the end of a sandbox',
    proofs: [
      ...programs('resources/44-ignored-signals'),
      ...tests(
        'providers/docker/lifecycle.test.ts',
        'does not outlive its host, though its program ignores signals and never ends',
      ),
    ],
  },
  {
    case: 45,
    title: 'a stopped program and a paused sandbox can be ended',
    proofs: [
      ...programs('resources/45-stopped'),
      ...tests('providers/docker/lifecycle.test.ts', 'that is paused can still be closed'),
    ],
  },
  {
    case: 46,
    title: 'each sandbox has a user of its own',
    proofs: [
      ...programs('resources/46-neighbours', 'resources/46-own-user'),
      ...tests(
        'providers/docker/docker-provider.test.ts',
        'gives each of its sandboxes a user of its own',
      ),
    ],
  },
  {
    case: 47,
    title: 'an endless computation in C code is ended',
    proofs: [
      ...programs(
        'resources/47-busy',
        'resources/47-comparison',
        'resources/47-pattern',
        'resources/47-power',
      ),
    ],
  },
  {
    case: 48,
    title: 'huge texts and values are shortened',
    proofs: [
      ...programs(
        'resources/48-deep-error',
        'resources/48-hostile-error',
        'resources/48-hostile-repr',
        'resources/48-huge-error',
        'resources/48-huge-value',
        'resources/48-long-line',
      ),
    ],
  },
  {
    case: 49,
    title: 'recursion and crashes are reported',
    proofs: [
      ...programs('resources/49-core-dump', 'resources/49-recursion', 'resources/49-segfault'),
      ...tests(
        'providers/embedded/limits.test.ts',
        'recursion %s is an error and not the end of the interpreter',
        'a crash of the interpreter is reported, with the output until then',
      ),
    ],
  },
  { case: 50, title: 'zombies are reaped', proofs: [...programs('resources/50-zombies')] },
  {
    case: 51,
    title: 'a flood of output is cut, and the host continues',
    proofs: [
      ...programs('resources/51-endless-flood', 'resources/51-flood'),
      ...tests(
        'providers/embedded/limits.test.ts',
        'an endless flood of output does not grow the process',
      ),
      {
        gap: 'npm run soak, not a test, measures the delay of the host’s event loop under floods, and requires a p99 of at most 50 ms',
      },
    ],
  },
  {
    case: 52,
    title: 'a program that does not read its results delays nobody',
    proofs: [...programs('resources/52-unread-results')],
  },
  {
    case: 53,
    title: 'fifty bombs at once leave their neighbours half their speed',
    proofs: [
      {
        gap: 'fifty programs with half a processor each overload a machine with two; maxSandboxes limits their number, and the library does not promise the speed of neighbours',
      },
    ],
  },
  {
    case: 54,
    title: 'processes that a program leaves behind end with its run',
    proofs: [
      ...programs(
        'resources/54-fleeing',
        'resources/54-late-output',
        'resources/54-leftovers',
        'resources/54-survivors',
        'resources/54-waker',
        'resources/54-orphaned-group',
        'resources/54-timer',
        'bash/54-timer',
      ),
    ],
  },
  {
    case: 145,
    title:
      'a program changes neither how other sandboxes are scheduled nor what the kernel gives them',
    proofs: programs('resources/145-shares'),
  },
];

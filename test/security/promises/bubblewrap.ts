import { programs, tests } from '../cases/security-case.ts';
import {
  design,
  note,
  shown,
  type PromiseProof,
  type SecurityPromise,
} from './security-promise.ts';

/** What a program in a sandbox sees. */
function seen(sentence: string, ...proofs: readonly (readonly PromiseProof[])[]): SecurityPromise {
  return shown(sentence, proofs.flat(), ['bubblewrap']);
}

/** What holds in sandboxes without control groups. */
function watched(
  sentence: string,
  ...proofs: readonly (readonly PromiseProof[])[]
): SecurityPromise {
  return shown(sentence, proofs.flat(), ['watched']);
}

function asked(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/bubblewrap/bwrap-arguments.test.ts', ...titles);
}

function hardening(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/bubblewrap/hardening.test.ts', ...titles);
}

function memory(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/bubblewrap/memory.test.ts', ...titles);
}

const LISTED = 'shows of the machine its programs, read-only, and five devices';
const ATTEMPTS = 'starts under its filter: nothing is before it';

const PROTECTIONS: readonly SecurityPromise[] = [
  note('`providers/bubblewrap/bwrap-arguments.ts` asks', 'it begins the list of protections'),
  seen(
    'All namespaces of its own, and no way to make further',
    asked('has every name space unshared, and none that can be made inside'),
    hardening('cannot make a user namespace, by any tool of the machine'),
    programs('escape/01-clone', 'escape/01-clone3', 'escape/01-unshare'),
  ),
  seen(
    'The same list of system calls as for a container',
    tests(
      'sandbox/seccomp-program.test.ts',
      'allows what is on the list and refuses every other number',
      'the kernel takes the filter, and heeds it',
    ),
    hardening(ATTEMPTS),
    programs('escape/04-kernel-interfaces', 'escape/05-io-uring'),
  ),
  seen(
    'No capabilities, no new privileges, no network',
    programs(
      'escape/07-capabilities',
      'network/19-interfaces',
      'network/22-families',
      'resources/41-terminals',
    ),
  ),
  seen(
    'A read-only root, and a `/tmp` with the same bounds',
    asked('lets nothing be written to but /tmp, which is bounded and which /dev/shm leads to'),
    hardening('can write to /tmp up to its size and number of entries, and start nothing there'),
    programs(
      'filesystem/26-root',
      'filesystem/27-size',
      'filesystem/28-shared-memory',
      'filesystem/29-inodes',
    ),
  ),
  seen(
    'At most 64 processes, with 256 descriptors each.',
    asked('is under the limits of its spec when it starts what runs in it'),
    programs('resources/36-fork-bomb', 'resources/41-descriptors'),
  ),
  seen(
    'No environment variable and no descriptor of the host.',
    hardening('gets no descriptor but its three, whatever its host has open'),
    programs('escape/09-environment', 'escape/16-descriptors'),
  ),
];

const FILES_AND_USER: readonly SecurityPromise[] = [
  seen('The root has the machine', asked(LISTED), programs('filesystem/26-root')),
  design(
    'design it has `bin`, `sbin`, `lib*`',
    'machines differ in which of these directories they have',
    hardening(ATTEMPTS),
  ),
  seen('Setuid bits have no effect there.', programs('escape/07-capabilities')),
  design(
    'the links of `/etc/alternatives`',
    'machines differ in what they have in /etc',
    asked(LISTED),
  ),
  seen('There is no `/etc/passwd`', hardening(ATTEMPTS)),
  seen(
    'The files from which Node is started',
    tests(
      'providers/bubblewrap/snapshot.test.ts',
      'starts from a snapshot after the first ones, which no program can change',
    ),
  ),
  note('A known weakness: a program can lock these files', 'it admits a weakness'),
  seen(
    'If root starts the sandbox, it becomes a user',
    hardening('is a process of no system user outside either'),
    programs('escape/07-capabilities', 'resources/46-own-user'),
    tests(
      'sandbox/sandbox-user.test.ts',
      'as many sandboxes in a row as there are ids have different users, none of them a user of the system',
    ),
  ),
  design(
    'keeps the groups of that user',
    'tests run as one user, and most of them as root',
    hardening('is a process of no system user outside either'),
  ),
];

const CONTROL_GROUPS: readonly SecurityPromise[] = [
  seen(
    'If the host process can make control groups, each sandbox',
    tests('providers/bubblewrap/lifecycle.test.ts', 'has all of its processes'),
    tests(
      'providers/bubblewrap/launcher-script.test.ts',
      'a launcher that cannot enter its group does nothing else',
    ),
  ),
  seen(
    'The group bounds memory (with what the kernel holds',
    tests(
      'providers/bubblewrap/control-group-settings.test.ts',
      'are those of its spec, without swap, and with a process that waits for its end',
    ),
    hardening(
      'tells how it is walled in, as the kernel says',
      'has its share of processors and no more',
    ),
    programs('resources/38-page-tables', 'resources/38-shared-pages', 'resources/38-sockets'),
  ),
  shown('Processor time is not bounded if its controller', [
    ...tests(
      'providers/bubblewrap/find-control-groups.test.ts',
      'processors are left unbounded where the controller was not delegated',
    ),
  ]),
  note('[Control groups](docs/sandboxes.md#control-groups) says', 'it points to another document'),
  shown('`doctor` says whether there are control groups', [
    ...tests(
      'cli/doctor.test.ts',
      'shows the walls of bubblewrap from both sides, and those that it lacks',
    ),
    ...hardening('tells how it is walled in, as the kernel says, and why not better'),
  ]),
];

const WITHOUT_CONTROL_GROUPS: readonly SecurityPromise[] = [
  note('The kernel does not bound the memory of the whole', 'it admits a weakness'),
  watched(
    'The host measures it, and ends the largest processes',
    memory(
      'is bounded for all processes together',
      'is bounded however quickly programs follow each other',
    ),
    tests(
      'providers/bubblewrap/memory-use.test.ts',
      'the largest are ended, as many as make up for what is too much',
    ),
    programs('resources/38-memory-bomb'),
  ),
  design('By design it measures 50 ms after', 'a busy machine lets the host measure later'),
  note('Until the host has measured', 'it admits a weakness'),
  design('hostile programs reached 300 to 750 MiB', 'figures that were measured on one machine'),
  watched(
    'The kernel bounds each process only',
    asked('is under the limits of its spec when it starts what runs in it'),
  ),
  shown('`auto` therefore takes such a sandbox only', [
    ...tests(
      'providers/select-provider.test.ts',
      'prefers one that bounds memory, and says why',
      'takes one that does not bound memory if no other works',
    ),
  ]),
  watched(
    'The host counts private pages',
    programs(
      'resources/38-first-thread',
      'resources/38-page-tables',
      'resources/38-sockets',
      'resources/38-open-texts',
      'resources/38-relay',
    ),
    memory(
      'counts the memory of files in %s',
      'counts entries of /tmp that have no content',
      'is bounded for mappings',
      'is bounded for what epoll watches, which the kernel counts for all of a user',
    ),
    tests(
      'providers/bubblewrap/memory-use.test.ts',
      'each object counts, and a pipe that processes share once',
      'a socket counts as full',
    ),
  ),
  design('pages that were swapped out and huge pages', 'machines of tests have neither'),
  watched(
    'Memory that a child has from its parent until it starts',
    memory(
      'counts once what a child has from its parent until it starts a program',
      'ends processes that seem to share what is too much for longer than a start takes',
    ),
    tests(
      'providers/bubblewrap/memory-use.test.ts',
      'memory that a child has from its parent counts once, and never less than the larger of the two',
    ),
  ),
  watched(
    'The filter refuses what the host cannot count',
    memory('does not depend on calls that make the kernel hold more than is counted'),
    programs('resources/38-shared-pages', 'resources/38-pinned-pages'),
  ),
  watched(
    '`/dev/zero` can be read and cannot be mapped.',
    asked('shows no device that can be mapped if no control group counts its memory'),
    memory('is no reason to refuse what programs copy and lock files with'),
    programs('resources/38-zero-device'),
  ),
  note('Known gaps: mappings that were inherited', 'it admits a weakness'),
  design('what is not counted is small for each object', 'no list of what a kernel has is whole'),
  watched(
    'Processor time is not bounded: a program can use all',
    programs('resources/47-busy', 'resources/36-fork-storm'),
  ),
];

const SHARED_WITH_THE_HOST: readonly SecurityPromise[] = [
  note('the kernel counts some things for the sandbox and the host', 'it admits a weakness'),
  note('A program could use up the number of files', 'it says what the next sentence is against'),
  seen(
    'The host therefore ends processes that watch too many',
    tests(
      'providers/bubblewrap/refused-calls.test.ts',
      'a sandbox of %s with %s is refused what would hide from the host or from its count',
    ),
    memory(
      'is bounded for what epoll watches, which the kernel counts for all of a user',
      'does not depend on calls that make the kernel hold more than is counted',
    ),
  ),
  seen(
    'At most 1024 signals and timers can wait.',
    asked('is under the limits of its spec when it starts what runs in it'),
  ),
  design(
    'By design the host does not count processes of the user',
    'what else the user runs is not known, and a thread that is refused cannot be reported by Node',
  ),
  seen(
    'An empty directory of its control group remains',
    tests(
      'providers/bubblewrap/lifecycle.test.ts',
      'is removed by the next provider where its host was killed',
    ),
  ),
];

export const BUBBLEWRAP: readonly SecurityPromise[] = [
  ...PROTECTIONS,
  ...FILES_AND_USER,
  ...CONTROL_GROUPS,
  ...WITHOUT_CONTROL_GROUPS,
  ...SHARED_WITH_THE_HOST,
];

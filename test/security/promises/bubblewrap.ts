import { programs, tests } from '../cases/security-case.ts';
import { WITHOUT_CONTROL_GROUPS } from './bubblewrap-without-groups.ts';
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
const ATTEMPTS = 'starts under its filter, and nothing runs before it';

const PROTECTIONS: readonly SecurityPromise[] = [
  note(
    '`providers/bubblewrap/start/bwrap-arguments.ts` requests',
    'it begins the list of protections',
  ),
  seen(
    'the sandbox has its own of every kind',
    asked('has every namespace of its own, and can create none'),
    hardening('cannot make a user namespace, by any tool of the machine'),
    programs('escape/01-clone', 'escape/01-clone3', 'escape/01-unshare'),
  ),
  seen(
    'the filter has the same list as for a container',
    tests(
      'sandbox/seccomp-program.test.ts',
      'allows what is on the list and refuses every other number',
      'the kernel accepts the filter and applies it',
    ),
    hardening(ATTEMPTS),
    programs('escape/04-kernel-interfaces', 'escape/05-io-uring'),
  ),
  seen(
    'there are no capabilities, no new privileges, no network',
    programs(
      'escape/07-capabilities',
      'network/19-interfaces',
      'network/22-families',
      'resources/41-terminals',
    ),
  ),
  seen(
    'the root is read-only, `/tmp` has the same limits',
    asked('makes only /tmp writable, which has limits and to which /dev/shm is a link'),
    hardening('can write to /tmp up to its size and number of entries, and start nothing there'),
    programs(
      'filesystem/26-root',
      'filesystem/27-size',
      'filesystem/28-shared-memory',
      'filesystem/29-inodes',
    ),
  ),
  seen(
    'there are at most 64, with 256 file descriptors each.',
    asked('is under the limits of its spec when it starts what runs in it'),
    programs('resources/36-fork-bomb', 'resources/41-descriptors'),
  ),
  seen('they are as in a container, unless', programs('resources/49-core-dump')),
  note('Then a crash starts the program of `core_pattern`', 'it admits a weakness'),
  seen(
    'there is no environment variable and no file descriptor of the host.',
    hardening('gets only its three descriptors, whatever its host has open'),
    programs('escape/09-environment', 'escape/16-descriptors'),
  ),
];

const FILES_AND_USER: readonly SecurityPromise[] = [
  seen('The root has the programs and libraries', asked(LISTED), programs('filesystem/26-root')),
  design(
    'design, it has `bin`, `sbin`, `lib*`',
    'machines differ in which of these directories they have',
    hardening(ATTEMPTS),
  ),
  seen('Setuid bits have no effect in it.', programs('escape/07-capabilities')),
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
  note('programs in two sandboxes that cooperate', 'it admits a weakness'),
  seen(
    'A program cannot watch who uses these files',
    programs('filesystem/144-commands', 'filesystem/144-watching'),
    tests(
      'providers/bubblewrap/refused-calls.test.ts',
      'advice to remove a file from memory succeeds without effect, and other advice reaches the kernel',
    ),
  ),
  seen('cannot make the disk of these files write', programs('filesystem/144-watching')),
  note('the time that a read takes, and the time of the last access', 'it admits a weakness'),
  note('says for each group of calls what remains', 'it points to another document'),
  seen(
    'If root starts the sandbox, it runs as a user',
    hardening('is a process of no system user outside either'),
    programs('escape/07-capabilities', 'resources/46-own-user'),
    tests(
      'sandbox/sandbox-user.test.ts',
      'as many sandboxes in a row as there are ids have different users, none of them a user of the system',
    ),
  ),
  design(
    "it keeps that user and the user's groups",
    'tests run as one user, and most of them as root',
    hardening('is a process of no system user outside either'),
  ),
];

const CONTROL_GROUPS: readonly SecurityPromise[] = [
  seen(
    'If the host process can create control groups, each sandbox',
    tests('providers/bubblewrap/lifecycle.test.ts', 'has all of its processes'),
    tests(
      'providers/bubblewrap/launcher-script.test.ts',
      'a launcher that cannot enter its group does nothing else',
    ),
  ),
  seen(
    'The group limits memory (including what the kernel holds',
    tests(
      'providers/bubblewrap/control-group-settings.test.ts',
      'are those of its spec, without swap, and with a process that waits for its end',
    ),
    hardening('reports its protections from the kernel', 'has its share of processors and no more'),
    programs('resources/38-page-tables', 'resources/38-shared-pages', 'resources/38-sockets'),
  ),
  shown('Processor time is not limited if its controller', [
    ...tests(
      'providers/bubblewrap/find-control-groups.test.ts',
      'processor time is not limited if its controller was not delegated',
    ),
  ]),
  note('[Control groups](docs/sandboxes.md#control-groups) says', 'it points to another document'),
  shown('`doctor` says whether there are control groups', [
    ...tests(
      'cli/doctor.test.ts',
      'shows the protections of bubblewrap from both sides, and the missing ones',
    ),
    ...hardening('reports its protections from the kernel, and why there are no control groups'),
  ]),
];

const SHARED_WITH_THE_HOST: readonly SecurityPromise[] = [
  note('the kernel counts some resources for the sandbox and the host', 'it admits a weakness'),
  note('if a program used up their number', 'it says what the next sentence is against'),
  seen(
    'The host therefore ends processes that watch too many',
    memory('is limited for files that epoll watches, which the kernel counts by user'),
  ),
  seen(
    'The filter refuses to send file descriptors',
    tests(
      'providers/bubblewrap/refused-calls.test.ts',
      'a sandbox of %s with %s is refused what would hide from the host or from its count',
    ),
    memory('does not depend on calls that make the kernel hold more than is counted'),
  ),
  seen(
    'at most 1024 can wait.',
    asked('is under the limits of its spec when it starts what runs in it'),
  ),
  seen(
    'the filter refuses larger pipes than those of 64 KiB.',
    tests(
      'providers/bubblewrap/refused-calls.test.ts',
      'a sandbox of %s with %s is refused what would hide from the host or from its count',
    ),
    memory('does not depend on calls that make the kernel hold more than is counted'),
  ),
  note('when all pipes of the user together have 64 MiB', 'it admits a weakness'),
  note('That takes 1024 pipes.', 'it says how far the weakness goes'),
  note('A sandbox can have 16,000', 'it says how far the weakness goes'),
  note('must leave room for 64', 'it is advice for users'),
  design(
    'by design, the host does not count processes of the user',
    'what else the user runs is not known, and a thread that is refused cannot be reported by Node',
  ),
];

export const BUBBLEWRAP: readonly SecurityPromise[] = [
  ...PROTECTIONS,
  ...FILES_AND_USER,
  ...CONTROL_GROUPS,
  ...WITHOUT_CONTROL_GROUPS,
  ...SHARED_WITH_THE_HOST,
];

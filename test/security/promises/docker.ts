import { programs, tests } from '../cases/security-case.ts';
import { note, shown, type PromiseProof, type SecurityPromise } from './security-promise.ts';

/** A protection of containers: what a program in one sees, and what the engine is asked for. */
function protection(sentence: string, proofs: readonly PromiseProof[]): SecurityPromise {
  return shown(sentence, proofs, ['docker']);
}

function asked(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/docker/container-config.test.ts', ...titles);
}

function seen(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/docker/hardening.test.ts', ...titles);
}

export const DOCKER: readonly SecurityPromise[] = [
  note(
    '`providers/docker/container/container-config.ts` requests',
    'it begins the list of protections',
  ),
  protection('there is no network interface except loopback', [
    ...programs('network/19-interfaces', 'network/21-vsock', 'network/22-families'),
    ...seen('sees no network interface but loopback and reaches nothing'),
  ]),
  protection('the user is not root', [
    ...programs('escape/07-capabilities', 'escape/07-identity', 'resources/46-own-user'),
    ...tests(
      'providers/docker/docker-provider.test.ts',
      'gives each of its sandboxes a user of its own',
    ),
  ]),
  protection('a program has no capabilities', [
    ...programs('escape/07-capabilities', 'escape/11-setuid'),
    ...asked('has no capabilities and can gain no privileges'),
  ]),
  protection('only listed calls are allowed', [
    ...tests(
      'providers/docker/seccomp-profile.test.ts',
      'what is on the list is allowed, and what is on no list is refused',
    ),
    ...tests('sandbox/system-calls.test.ts', 'the allowed system calls are the reviewed ones'),
    ...seen('cannot make the system calls that escapes are made of'),
  ]),
  protection('A process can change the limits, the scheduling', [
    ...seen('cannot take limits or processor time from its supervisor, but can lower its own'),
  ]),
  protection('It can neither have its memory merged', [
    ...tests(
      'providers/docker/seccomp-profile.test.ts',
      '%s has no command that reaches other processes',
    ),
    ...seen('cannot have its memory merged with that of others, nor a core for itself'),
  ]),
  protection('the root is read-only, and there are no mounts', [
    ...programs('filesystem/26-root'),
    ...asked('shares no namespace and nothing of the file system with the host'),
    ...seen('cannot write to the root file system'),
  ]),
  protection('`/tmp` and `/dev/shm` together have 16 MiB and 4096 entries', [
    ...programs(
      'escape/10-noexec',
      'filesystem/27-size',
      'filesystem/28-shared-memory',
      'filesystem/29-inodes',
    ),
    ...seen(
      'can write to /tmp and /dev/shm up to their size and no further',
      'cannot start a program from /tmp or /dev/shm, nor write anywhere else',
    ),
  ]),
  protection('A program in memory', programs('escape/10-memfd')),
  protection('There are no pseudo-terminals.', programs('resources/41-terminals')),
  protection('there are 256 MiB of memory', [
    ...programs('resources/38-memory-bomb', 'resources/42-processor', 'resources/41-descriptors'),
    ...asked('has limits of memory without swap, processors, processes, files and file sizes'),
    ...seen('cannot open more files, write longer files or use more processes than it may'),
  ]),
  protection('if a program crashes, the kernel writes no core dump', [
    ...programs('resources/49-core-dump'),
    ...tests(
      'providers/docker/seccomp-profile.test.ts',
      'a process can change each limit of its own but that of core dumps, which it can only read',
    ),
  ]),
  protection('the container has its own for processes', [
    ...programs(
      'escape/09-identity',
      'escape/12-other-processes',
      'network/24-shared-memory',
      'network/24-queue-files',
    ),
    ...asked('shares no namespace and nothing of the file system with the host'),
  ]),
  protection('the engine writes no log to the disk', [
    ...asked('leaves no log on the host’s disk', 'ends with its host and is removed by the engine'),
    ...tests(
      'providers/docker/docker-provider.test.ts',
      'leaves no container after a sandbox was closed, once or more often',
    ),
  ]),
  protection('there is no variable of the host.', [
    ...programs('escape/09-environment'),
    ...seen('sees no environment of the host'),
  ]),
  protection('After the host has created a container, it reads back', [
    ...tests(
      'providers/docker/profile-check.test.ts',
      'a container that is as requested lacks nothing',
      '%j is reported as a missing protection',
    ),
    ...tests(
      'providers/docker/image.test.ts',
      'is refused if it would add storage without a limit',
    ),
  ]),
  shown('`sandboxed-ptc doctor --security` prints, for each', [
    ...tests(
      'cli/doctor.test.ts',
      'shows with --security that every protection of a container holds',
    ),
    ...tests(
      'cli/security/judge-facts.test.ts',
      'show that an engine accepts an option and ignores it',
    ),
    ...tests(
      'cli/security/probe.test.ts',
      'finds every protection of a sandbox, and each that the provider reports',
      'reports each protection that a container without a profile lacks',
    ),
  ]),
  note(
    "A program can see paths of the engine's own",
    'it admits a weakness that no engine can hide',
  ),
  protection('When the host process dies, the standard input', [
    ...tests(
      'providers/docker/lifecycle.test.ts',
      'does not outlive its host, though its program ignores signals and never ends',
    ),
  ]),
  protection('Each container has a label with its owner', [
    ...tests(
      'providers/docker/owner.test.ts',
      'an owner counts as alive from its first label until its release',
    ),
  ]),
  protection('If a container cannot react', [
    ...tests(
      'providers/docker/orphans.test.ts',
      'removes a sandbox that does not react to the death of its host',
      'removes a sandbox whose host was killed before it started it',
      'touches no sandbox of a live host, be it running, paused or not started yet',
    ),
  ]),
  shown('`sandboxed-ptc doctor --clean` removes', [
    ...tests(
      'cli/doctor.test.ts',
      'mentions orphans, and removes them with --clean, but no sandbox of a live process',
    ),
  ]),
  protection('The label also names the boot', [
    ...tests(
      'providers/docker/owner.test.ts',
      'another boot, directory of names, user or host is another machine',
    ),
  ]),
  protection('A process with another such directory', [
    ...tests(
      'providers/docker/owner.test.ts',
      'nothing is known of an owner elsewhere, of an unreadable one, or if the check fails',
      'an owner whose name was held in another directory never counts as dead',
    ),
    ...tests('providers/docker/orphans.test.ts', 'removes no sandbox whose owner it cannot judge'),
  ]),
  protection('A persistent container outlives its host', [
    ...tests(
      'providers/docker/persistent.test.ts',
      'outlives its host, a sweep too, and is taken over with its variables',
    ),
  ]),
  protection('It ends when nobody has used it for its idle time', [
    ...tests(
      'providers/docker/persistent.test.ts',
      'continues to print without a host, and ends by itself after its idle time',
      'ends by itself though its host died before it had anything to do',
    ),
  ]),
  note('Any user who can use the engine can take it over.', 'it admits a weakness'),
];

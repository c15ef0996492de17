import { contractTests, programs, tests } from '../cases/security-case.ts';
import { ALL_PLACES, note, shown, type SecurityPromise } from './security-promise.ts';

const EVERYWHERE = [...ALL_PLACES, 'watched'] as const;

/** The rows of the table of providers, and the lines below it. */
export const COMPARE_PROVIDERS: readonly SecurityPromise[] = [
  shown(
    '| Isolation | namespaces',
    [
      ...programs('escape/07-capabilities', 'escape/12-other-processes', 'resources/46-own-user'),
      ...tests(
        'providers/embedded/deno-command.test.ts',
        'denies every permission that Deno knows and grants none',
      ),
    ],
    EVERYWHERE,
  ),
  shown(
    '| Files of the host | none',
    [
      ...programs('escape/08-machine-files', 'filesystem/26-machine'),
      ...tests(
        'providers/docker/container-config.test.ts',
        'shares no namespace and nothing of the file system with the host',
      ),
      ...tests(
        'providers/bubblewrap/bwrap-arguments.test.ts',
        'shows of the machine its programs, read-only, and five devices',
      ),
      ...tests(
        'providers/embedded/isolation.test.ts',
        'sees a file system of its own, with nothing of the machine in it',
      ),
    ],
    EVERYWHERE,
  ),
  shown(
    '| Network | none',
    programs('network/20-connections', 'network/20-requests', 'javascript/120-network'),
    EVERYWHERE,
  ),
  shown(
    '| Filter of system calls',
    [
      ...programs('escape/04-kernel-interfaces', 'resources/38-shared-pages'),
      ...tests(
        'providers/embedded/security-report.test.ts',
        'are fewer than those of a container, and the report says which are missing',
      ),
    ],
    EVERYWHERE,
  ),
  shown(
    '| Memory limit',
    [
      ...programs('resources/38-memory-bomb'),
      ...tests(
        'providers/docker/container-config.test.ts',
        'has limits of memory without swap, processors, processes, files and file sizes',
      ),
      ...tests(
        'providers/bubblewrap/control-group-settings.test.ts',
        'are those of its spec, without swap, and with a process that waits for its end',
      ),
      ...tests('providers/bubblewrap/memory.test.ts', 'is limited for all processes together'),
      ...tests(
        'providers/embedded/deno-command.test.ts',
        'refuses code made of text, and memory beyond the limit',
        'is under the kernel’s limit on Linux, with paths that are never a part of shell code',
      ),
      ...tests(
        'providers/embedded/limits.test.ts',
        'memory outside the interpreter is measured, and exceeding it is reported as memory',
      ),
    ],
    EVERYWHERE,
  ),
  shown(
    '| Processor time | half',
    [
      ...programs('resources/42-processor', 'resources/47-busy'),
      ...tests('providers/bubblewrap/hardening.test.ts', 'has its share of processors and no more'),
      ...tests(
        'providers/bubblewrap/find-control-groups.test.ts',
        'processor time is not limited if its controller was not delegated',
      ),
    ],
    EVERYWHERE,
  ),
  shown(
    '| Processes | 64',
    programs('resources/36-fork-bomb', 'javascript/117-modules'),
    EVERYWHERE,
  ),
  shown(
    'With every provider, a program is stopped at its time limit.',
    [
      ...contractTests(
        'any-language/limits.ts',
        'a program that ${what} past its time ends; what it printed and its state stay',
      ),
      ...programs('resources/47-busy'),
    ],
    EVERYWHERE,
  ),
  note('on this page are defaults', 'it says what the figures are'),
  note('[Limits](docs/sessions.md#limits) says', 'it points to another document'),
];

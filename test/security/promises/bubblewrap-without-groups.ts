import { programs, tests } from '../cases/security-case.ts';
import {
  design,
  note,
  shown,
  type PromiseProof,
  type SecurityPromise,
} from './security-promise.ts';

/** What a program in a sandbox without control groups sees. */
function watched(
  sentence: string,
  ...proofs: readonly (readonly PromiseProof[])[]
): SecurityPromise {
  return shown(sentence, proofs.flat(), ['watched']);
}

function asked(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/bubblewrap/bwrap-arguments.test.ts', ...titles);
}

function memory(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/bubblewrap/memory.test.ts', ...titles);
}

/** The sentences about bubblewrap sandboxes whose memory the host measures, because no control group bounds it. */
export const WITHOUT_CONTROL_GROUPS: readonly SecurityPromise[] = [
  note('The kernel does not limit the memory of the whole', 'it admits a weakness'),
  note('The host measures it.', 'it says how the next sentence is done'),
  watched(
    'If a sandbox uses more than its limit, the host ends',
    memory(
      'is limited for all processes together',
      'is limited however quickly programs follow each other',
    ),
    tests(
      'providers/bubblewrap/memory-use.test.ts',
      'the largest are ended, as many as make up for what is too much',
    ),
    programs('resources/38-memory-bomb'),
  ),
  design('By design, the host measures 50 ms after', 'a busy machine lets the host measure later'),
  note('Until the host has measured', 'it admits a weakness'),
  design('hostile programs reached 300 to 750 MiB', 'figures that were measured on one machine'),
  watched(
    'The kernel limits only single processes',
    asked('is under the limits of its spec when it starts what runs in it'),
  ),
  shown('`auto` therefore takes such a sandbox only', [
    ...tests(
      'providers/select-provider.test.ts',
      'prefers one with a firm memory limit, and says why',
      'takes one without a firm memory limit if no other works',
    ),
  ]),
  watched(
    'The host counts private pages',
    programs('resources/38-first-thread', 'resources/38-page-tables', 'resources/38-relay'),
    memory(
      'counts the memory of files in %s',
      'counts entries of /tmp that have no content',
      'is limited for mappings',
      'is limited for files that epoll watches, which the kernel counts by user',
    ),
  ),
  watched(
    'It counts sockets, pipes, and the text',
    programs('resources/38-sockets', 'resources/38-open-texts', 'resources/38-relay'),
    tests(
      'providers/bubblewrap/memory-use.test.ts',
      'each object counts, and a pipe that processes share once',
      'a socket counts as full',
    ),
  ),
  design('pages that were swapped out, and huge pages', 'machines of tests have neither'),
  watched(
    'Memory that a child shares with its parent until it starts',
    memory(
      'counts once what a child has from its parent until it starts a program',
      'ends processes that seem to share too much memory for longer than a start takes',
    ),
    tests(
      'providers/bubblewrap/memory-use.test.ts',
      'memory that a child has from its parent counts once, and never less than the larger of the two',
    ),
  ),
  note('A program that imitates this', 'it admits a weakness'),
  watched(
    'The filter refuses what the host cannot count',
    memory('does not depend on calls that make the kernel hold more than is counted'),
    programs('resources/38-shared-pages', 'resources/38-pinned-pages'),
  ),
  watched(
    '`/dev/zero` can be read but not mapped.',
    asked('shows no device that can be mapped if no control group counts its memory'),
    memory('is no reason to refuse what programs copy and lock files with'),
    programs('resources/38-zero-device'),
  ),
  note('Mappings that were inherited by `fork`', 'it admits a weakness'),
  note('Locks of files count up to 2 s late.', 'it admits a weakness'),
  note('Several processes may escape the measurement', 'it admits a weakness'),
  design(
    'anything else that is not counted is small for each object',
    'no list of what a kernel has is whole',
  ),
  watched(
    'a program can use all processors until it ends',
    programs('resources/47-busy', 'resources/36-fork-storm'),
  ),
];

import { tests } from '../cases/security-case.ts';
import { note, shown, type PromiseProof, type SecurityPromise } from './security-promise.ts';

/** What holds of the process that starts the sandboxes of bubblewrap. */
function promised(
  sentence: string,
  ...proofs: readonly (readonly PromiseProof[])[]
): SecurityPromise {
  return shown(sentence, proofs.flat(), ['bubblewrap']);
}

function spawner(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/bubblewrap/spawner.test.ts', ...titles);
}

function lifecycle(...titles: readonly string[]): PromiseProof[] {
  return tests('providers/bubblewrap/lifecycle.test.ts', ...titles);
}

export const SPAWNER: readonly SecurityPromise[] = [
  note('The spawner is a small process', 'it says of what the sentences after it are'),
  promised('It has no address', spawner('lets no other user open its pipes, and has no address')),
  promised(
    'A program cannot reach it',
    spawner(
      'is out of reach of a program that ends all that it can',
      'has only the descriptors that it was started with, and none of another process',
    ),
    tests(
      'providers/bubblewrap/hardening.test.ts',
      'gets only its three descriptors, whatever its host has open',
    ),
  ),
  promised(
    'If it is killed, its sandboxes end',
    spawner('that is killed takes its sandboxes with it, and another starts the next'),
  ),
  promised(
    'When the host process dies, the spawner ends',
    spawner('ends when its host is killed'),
    lifecycle('does not outlive its host, though its program ignores signals and never ends'),
  ),
  promised(
    'A sandbox also ends when its standard input ends',
    lifecycle('does not outlive its host, even if its supervisor cannot react'),
  ),
  promised(
    'An empty directory of its control group remains',
    lifecycle('is removed by the next provider if its host was killed'),
  ),
];

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
  note('A small process of the host', 'it says of what the sentences after it are'),
  promised('It has no address', spawner('lets no other user open its pipes, and has no address')),
  promised(
    'A program cannot reach it',
    spawner(
      'is out of reach of a program that ends all that it can',
      'has no descriptor but those that it was started with, and none of another',
    ),
    tests(
      'providers/bubblewrap/hardening.test.ts',
      'gets no descriptor but its three, whatever its host has open',
    ),
  ),
  promised(
    'If somebody kills it, its sandboxes end',
    spawner('that is killed takes its sandboxes with it, and another starts the next'),
  ),
  promised(
    'When the host process dies, the spawner ends',
    spawner('ends when its host is killed'),
    lifecycle('does not outlive its host, though its program ignores signals and never ends'),
  ),
  promised(
    'So does the end of its standard input',
    lifecycle('does not outlive its host, though its supervisor cannot heed that'),
  ),
];

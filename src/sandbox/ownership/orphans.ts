import type { FoundSandbox, SandboxVerdict } from '../sandbox.ts';
import { decodeOwner, judgeOwner, type OwnerState } from './owner.ts';
import { isOwnerHeld } from './ownership.ts';

/**
 * Judges a sandbox that an engine has by the label with its owner.
 * @param label - Undefined if it has none.
 * @param machine - The machine of this process, from `thisMachine`.
 * @param outlivesOwner - Whether it is persistent and runs.
 */
export async function judgeSandbox(
  label: string | undefined,
  machine: string,
  outlivesOwner: boolean,
): Promise<Pick<FoundSandbox, 'owner' | 'verdict'>> {
  const owner = decodeOwner(label);
  const state = await judgeOwner(owner, machine, isOwnerHeld);
  return {
    owner: owner && { machine: owner.machine, processId: owner.processId },
    verdict: verdictOf(state, outlivesOwner),
  };
}

/**
 * Removes the sandboxes whose owner is dead, and returns those that are gone. An owner that is dead
 * stays dead, so the verdict cannot change before the removal.
 * @param remove - Removes a sandbox by its id, and returns whether it is gone.
 */
export async function removeOrphans(
  found: readonly FoundSandbox[],
  remove: (id: string) => Promise<boolean>,
): Promise<FoundSandbox[]> {
  const orphans = found.filter(({ verdict }) => verdict === 'orphan');
  const gone = await Promise.all(orphans.map(async ({ id }) => remove(id)));
  return orphans.filter((_orphan, index) => gone[index]);
}

function verdictOf(owner: OwnerState, outlivesOwner: boolean): SandboxVerdict {
  if (outlivesOwner) return 'persistent';
  if (owner === 'unknown') return 'foreign';
  return owner === 'alive' ? 'live' : 'orphan';
}

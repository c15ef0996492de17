import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import type { FoundSandbox, SandboxVerdict } from '../sandbox.ts';
import { decodeOwner, judgeOwner, type OwnerState } from './owner.ts';
import { isOwnerHeld, thisMachine } from './ownership.ts';

/** A sandbox that an engine has, as `judgeSandbox` needs to know it. */
export interface SandboxToJudge {
  /** The text of `Ownership.label` that was stored with it. @default it has none */
  readonly label?: string | undefined;
  /** Whether it is persistent and runs. @default false */
  readonly outlivesOwner?: boolean;
}

export const JUDGE_SANDBOX: OptionsObject<SandboxToJudge> = {
  of: 'judgeSandbox',
  names: { label: 'text', outlivesOwner: 'boolean' },
  page: 'docs/writing-a-provider.md',
  otherWords: { owner: 'label', persistent: 'outlivesOwner' },
};

/**
 * Judges a sandbox that an engine has by the label with its owner. An owner on another machine, or
 * of another user, is never taken for dead.
 * @throws PtcError `OPTION_INVALID`
 */
export async function judgeSandbox(
  sandbox: SandboxToJudge,
): Promise<Pick<FoundSandbox, 'owner' | 'verdict'>> {
  checkOptionNames(sandbox, JUDGE_SANDBOX);
  const { label, outlivesOwner = false } = sandbox;
  const owner = decodeOwner(label);
  const state = await judgeOwner(owner, await thisMachine(), isOwnerHeld);
  return {
    owner: owner && { machine: owner.machine, processId: owner.processId },
    verdict: verdictOf(state, outlivesOwner),
  };
}

/**
 * Removes the sandboxes whose verdict is `orphan`, and returns those that are gone. An owner that is
 * dead stays dead, so the verdict cannot change before the removal.
 * @param found - What `findSandboxes` of the provider found.
 * @param remove - Removes a sandbox by its id, and returns whether it is gone.
 */
export async function removeOrphans(
  found: readonly FoundSandbox[],
  remove: (id: string) => Promise<boolean>,
): Promise<readonly FoundSandbox[]> {
  const orphans = found.filter(({ verdict }) => verdict === 'orphan');
  const gone = await Promise.all(orphans.map(async ({ id }) => remove(id)));
  return orphans.filter((_orphan, index) => gone[index]);
}

function verdictOf(owner: OwnerState, outlivesOwner: boolean): SandboxVerdict {
  if (outlivesOwner) return 'persistent';
  if (owner === 'unknown') return 'foreign';
  return owner === 'alive' ? 'live' : 'orphan';
}

import type Docker from 'dockerode';
import type { FoundSandbox, SandboxVerdict } from '../../../sandbox/sandbox.ts';
import { LABELS } from '../container/container-config.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { decodeOwner, judgeOwner, type OwnerState } from './owner.ts';
import { isOwnerHeld, thisMachine } from './ownership.ts';
import { removeContainer } from '../container/remove-container.ts';

/**
 * Longer than for the end of a session: nobody waits for it, and the engine may have many
 * containers to remove.
 */
const CLEANUP_DEADLINE_MS = 10_000;

/**
 * Lists all containers of this package that the engine has, in any state, and judges their owners.
 * @throws what dockerode throws, or PtcError `SANDBOX_UNAVAILABLE` at a deadline.
 */
export async function findSandboxes(docker: Docker): Promise<FoundSandbox[]> {
  const [machine, containers] = await Promise.all([
    thisMachine(),
    withDeadline('list its containers', CALL_DEADLINE_MS, (abortSignal) =>
      docker.listContainers({ all: true, filters: { label: [LABELS.owner] }, abortSignal }),
    ),
  ]);
  return Promise.all(
    containers.map(async ({ Id: id, State: state, Created, Labels: labels }) => {
      const owner = decodeOwner(labels[LABELS.owner]);
      const ownerState = await judgeOwner(owner, machine, isOwnerHeld);
      return {
        id,
        sessionId: labels[LABELS.session] ?? '',
        owner: owner && { machine: owner.machine, processId: owner.processId },
        createdAtMs: Created * 1000,
        state,
        verdict: verdictOf(ownerState, labels[LABELS.persistent] === 'true' && state === 'running'),
      };
    }),
  );
}

/**
 * Removes the sandboxes whose owner is dead, and returns those that are gone. An owner that is dead
 * stays dead, so the verdict cannot change before the removal.
 */
export async function removeOrphans(docker: Docker): Promise<FoundSandbox[]> {
  const found = await findSandboxes(docker);
  const orphans = found.filter(({ verdict }) => verdict === 'orphan');
  const gone = await Promise.all(
    orphans.map(async ({ id }) => removeContainer(docker.getContainer(id), CLEANUP_DEADLINE_MS)),
  );
  return orphans.filter((_orphan, index) => gone[index]);
}

function verdictOf(owner: OwnerState, outlivesOwner: boolean): SandboxVerdict {
  if (outlivesOwner) return 'persistent';
  if (owner === 'unknown') return 'foreign';
  return owner === 'alive' ? 'live' : 'orphan';
}

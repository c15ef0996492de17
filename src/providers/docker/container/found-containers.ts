import type Docker from 'dockerode';
import { judgeSandbox, removeOrphans } from '../../../sandbox/ownership/orphans.ts';
import type { FoundSandbox } from '../../../sandbox/sandbox.ts';
import { throwIfAborted } from '../../../shared/async/abort.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { LABELS } from './container-config.ts';
import { removeContainer } from './remove-container.ts';

/** The state of a container whose processes wait until someone lets them go on. */
export const PAUSED = 'paused';

/** Whether the processes of a container run, or can go on, by the state that its engine tells. */
export function canRun(state: string): boolean {
  return state === 'running' || state === PAUSED;
}

/**
 * Longer than for the end of a session: nobody waits for it, and the engine may have many
 * containers to remove.
 */
const CLEANUP_DEADLINE_MS = 10_000;

/**
 * Lists all containers of this package that the engine has, in any state, and judges their owners.
 * @throws what dockerode throws, or PtcError `SANDBOX_UNAVAILABLE` at a deadline.
 */
export async function findContainers(docker: Docker): Promise<FoundSandbox[]> {
  const containers = await withDeadline('list its containers', CALL_DEADLINE_MS, (abortSignal) =>
    docker.listContainers({ all: true, filters: { label: [LABELS.owner] }, abortSignal }),
  );
  return Promise.all(
    containers.map(async ({ Id: id, State: state, Created, Labels: labels }) => {
      const outlivesOwner = labels[LABELS.persistent] === 'true' && canRun(state);
      return {
        id,
        sessionId: labels[LABELS.session] ?? '',
        createdAtMs: Created * 1000,
        state,
        ...(await judgeSandbox({ label: labels[LABELS.owner], outlivesOwner })),
      };
    }),
  );
}

/**
 * Removes the containers whose owner is dead, and returns those that are gone.
 * @param signal - If it fires before the containers are found, none is removed.
 */
export async function removeOrphanedContainers(
  docker: Docker,
  signal: AbortSignal | undefined,
): Promise<readonly FoundSandbox[]> {
  const found = await findContainers(docker);
  throwIfAborted(signal);
  return removeOrphans(found, async (id) =>
    removeContainer(docker.getContainer(id), CLEANUP_DEADLINE_MS),
  );
}

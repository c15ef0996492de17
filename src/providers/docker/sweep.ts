import type Docker from 'dockerode';
import { LABELS } from './container-config.ts';
import { CALL_DEADLINE_MS, withDeadline } from './deadline.ts';
import { removeContainer } from './remove-container.ts';

/**
 * Removes sandboxes that have outlived their time, whoever made them: a container ends by itself
 * when its host goes away, so what is found here is what an engine's own failure left behind.
 * @returns The ids of what was removed.
 */
export async function removeExpiredContainers(docker: Docker, nowMs: number): Promise<string[]> {
  const ours = await withDeadline('list containers', CALL_DEADLINE_MS, (abortSignal) =>
    docker.listContainers({ all: true, filters: { label: [LABELS.expiresAt] }, abortSignal }),
  );
  const expired = ours.filter(({ Labels }) => Number(Labels[LABELS.expiresAt]) <= nowMs);
  await Promise.all(expired.map(({ Id }) => removeContainer(docker.getContainer(Id))));
  return expired.map(({ Id }) => Id);
}

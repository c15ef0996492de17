import { removeOrphans } from '../../sandbox/ownership/orphans.ts';
import type { FoundSandbox, SandboxVerdict } from '../../sandbox/sandbox.ts';
import type { Cluster } from './cluster/cluster.ts';
import { LABELS } from './pod/pod-template.ts';
import type { Pod } from './pod/pod-types.ts';

/** A host that has lost its pod asks within seconds why it ended. */
const KEPT_MS = 5 * 60_000;

/** The sandboxes of all hosts in a namespace. @throws ApiError */
export async function findPods(
  cluster: Cluster,
  namespace: string,
  signal?: AbortSignal,
): Promise<readonly FoundSandbox[]> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${LABELS.session}`;
  const { items } = (await cluster.send({ method: 'GET', path, signal })) as { items: Pod[] };
  return items.map((pod) => ({
    id: pod.metadata.name,
    sessionId: pod.metadata.labels?.[LABELS.session] ?? '',
    owner: undefined,
    createdAtMs: Date.parse(pod.metadata.creationTimestamp),
    state: pod.status?.phase ?? 'Unknown',
    verdict: verdictOf(pod, Date.now()),
  }));
}

/** Removes what is left of pods that have ended. @throws ApiError */
export async function removeEndedPods(
  cluster: Cluster,
  namespace: string,
  signal?: AbortSignal,
): Promise<readonly FoundSandbox[]> {
  const found = await findPods(cluster, namespace, signal);
  return removeOrphans(found, async (name) => {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    return cluster.send({ method: 'DELETE', path }).then(
      () => true,
      () => false,
    );
  });
}

/**
 * A pod ends by itself half a minute after its host, and its host removes it. So one that ended a
 * while ago has no host. Whether another one has a host is not known.
 */
export function verdictOf({ status }: Pod, nowMs: number): SandboxVerdict {
  const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const ends = (status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse(state?.terminated?.finishedAt ?? ''),
  );
  const isOld = ends.every((end) => Number.isNaN(end) || end + KEPT_MS < nowMs);
  return hasEnded && isOld ? 'orphan' : 'foreign';
}

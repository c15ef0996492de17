import { setTimeout as delay } from 'node:timers/promises';
import { removeOrphans } from '../../sandbox/ownership/orphans.ts';
import { decodeOwner, type Owner } from '../../sandbox/ownership/owner.ts';
import type { FoundSandbox, SandboxVerdict } from '../../sandbox/sandbox.ts';
import { extensionsPath } from './agent-sandbox/objects.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { HostState } from './keys/host-observer.ts';
import type { HostStates } from './keys/hosts.ts';
import type { LeaseKeys } from './keys/lease-keys.ts';
import { isEnded } from './persistent/epoch.ts';
import { ANNOTATIONS, LABELS } from './pod/pod-template.ts';
import type { Pod } from './pod/pod-types.ts';

/** A host that has lost its pod asks within seconds why it ended, and waits at most two minutes until a pod runs. */
const KEPT_MS = 5 * 60_000;

/** Where sandboxes are looked for. */
export interface SearchOptions {
  readonly namespace: string;
  readonly keys: LeaseKeys;
  readonly signal: AbortSignal;
}

/** The sandboxes of all hosts in a namespace. @throws ApiError */
export async function findPods(
  cluster: Cluster,
  options: SearchOptions,
): Promise<readonly FoundSandbox[]> {
  const { found } = await look(cluster, options);
  return found;
}

/**
 * Removes the Leases of dead hosts, and pods that have ended, or that never started. First watches
 * all hosts for as long as it takes to be sure.
 * @throws ApiError
 */
export async function removeOrphanedPods(
  cluster: Cluster,
  options: SearchOptions,
): Promise<readonly FoundSandbox[]> {
  const { namespace, keys, signal } = options;
  let { pods, found, hosts } = await look(cluster, options);
  let unsure = [...hosts.keys()].filter(isUnsure);
  if (unsure.length > 0) {
    while (unsure.length > 0) {
      await delay(keys.lookMs, undefined, { signal });
      hosts = await keys.hosts(signal);
      unsure = unsure.filter(isUnsure);
    }
    // Meanwhile a pod may have started, and another host may have taken it over.
    ({ pods, found } = await look(cluster, options));
  }
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  return removeOrphans(found, async (name) => {
    const pod = byName.get(name);
    return pod !== undefined && removeUnchanged(cluster, namespace, pod);
  });

  function isUnsure(host: string): boolean {
    return hosts.get(host) === 'unsure';
  }
}

/** What was seen in a namespace. */
interface Look {
  readonly pods: readonly Pod[];
  /** The same pods as sandboxes. */
  readonly found: readonly FoundSandbox[];
  readonly hosts: HostStates;
}

async function look(cluster: Cluster, { namespace, keys, signal }: SearchOptions): Promise<Look> {
  // In this order: a host that makes a pod has a Lease.
  const { pods, atMs } = await listPods(cluster, namespace, signal);
  const hosts = await keys.hosts(signal);
  return { pods, found: pods.map((pod) => describe(pod, hosts, atMs)), hosts };
}

/**
 * Removes a pod if nobody has changed it since it was read: one that changes is left to the next look.
 * @returns whether it is removed.
 */
async function removeUnchanged(cluster: Cluster, namespace: string, pod: Pod): Promise<boolean> {
  const { name, annotations, resourceVersion } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const claim = annotations?.[ANNOTATIONS.claim];
  try {
    if (claim === undefined) {
      await removeThat(cluster, path, pod);
      return true;
    }
    // A pod of agent-sandbox ends with its claim. If only the pod were deleted, the controller would
    // make another pod.
    const claims = extensionsPath(namespace, 'sandboxclaims');
    const claimPath = `${claims}/${encodeURIComponent(claim)}`;
    // In this order: the controller changes the claim after the pod.
    const claimed = (await cluster.send({ method: 'GET', path: claimPath })) as Pick<
      Pod,
      'metadata'
    >;
    const now = (await cluster.send({ method: 'GET', path })) as Pod;
    if (now.metadata.resourceVersion !== resourceVersion) return false;
    await removeThat(cluster, claimPath, claimed);
    return true;
  } catch {
    return false;
  }
}

/** Removes an object if it is still as it was read. @throws ApiError */
async function removeThat(
  cluster: Cluster,
  path: string,
  { metadata: { uid, resourceVersion } }: Pick<Pod, 'metadata'>,
): Promise<void> {
  const body = { preconditions: { uid, resourceVersion } };
  await cluster.send({ method: 'DELETE', path, body });
}

/**
 * Those that have a session, or are only compared with such, and when that was so by the API server's
 * clock. Selectors of the API cannot say `or`.
 */
async function listPods(
  cluster: Cluster,
  namespace: string,
  signal: AbortSignal,
): Promise<{ readonly pods: readonly Pod[]; readonly atMs: number }> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${LABELS.version}`;
  const { object, atMs } = await cluster.sendDated({ method: 'GET', path, signal });
  const pods = (object as { items: Pod[] }).items.filter(
    (pod) => isUnselected(pod) || pod.metadata.labels?.[LABELS.session] !== undefined,
  );
  return { pods, atMs };
}

function isUnselected({ metadata: { labels } }: Pod): boolean {
  return labels?.[LABELS.unselected] === 'true';
}

function describe(pod: Pod, hosts: HostStates, nowMs: number): FoundSandbox {
  const owner = ownerOf(pod);
  const host = owner && (hosts.get(owner.id) ?? 'dead');
  return {
    id: pod.metadata.name,
    sessionId: pod.metadata.labels?.[LABELS.session] ?? '',
    owner: owner && { machine: owner.machine, processId: owner.processId },
    createdAtMs: Date.parse(pod.metadata.creationTimestamp),
    state: pod.status?.phase ?? 'Unknown',
    verdict: judgePod(pod, host, nowMs),
  };
}

function ownerOf({ metadata: { annotations } }: Pod): Owner | undefined {
  return decodeOwner(annotations?.[ANNOTATIONS.owner]);
}

/**
 * What happens to a pod. One that runs ends by itself half a minute after its host, or after its idle
 * limit, so it is never an orphan: its host may only be silent. One in which no program ever runs is not missed.
 * @param host - What is known of its host. Undefined if the pod does not name one.
 * @param nowMs - By the clock of the API server, which also says when the pod was made. That of this
 * machine may differ. If it is not a number, nothing counts as old.
 */
export function judgePod(pod: Pod, host: HostState | undefined, nowMs: number): SandboxVerdict {
  const { phase } = pod.status ?? {};
  const hasHost = host === 'alive' || host === 'unsure';
  if (isUnselected(pod) && host === 'dead') return 'orphan';
  if (phase === 'Succeeded' || phase === 'Failed') {
    // Without the time of its end, as after an eviction, only a host can still ask for the reason.
    const isOld = endedLongAgo(pod, nowMs) ?? !hasHost;
    if (host === 'dead' || isOld) return 'orphan';
    return hasHost ? 'live' : 'foreign';
  }
  const isPersistent = pod.metadata.labels?.[LABELS.persistent] === 'true';
  if (phase === 'Running' && isPersistent && !isEnded(pod)) return 'persistent';
  if (phase === 'Pending') {
    // Its host may have failed to remove it.
    const isOld = Date.parse(pod.metadata.creationTimestamp) + KEPT_MS < nowMs;
    if (host === 'dead' || (hasHost && isOld)) return 'orphan';
  }
  return hasHost ? 'live' : 'foreign';
}

/** Undefined if it is not known when its containers ended. */
function endedLongAgo({ status }: Pod, nowMs: number): boolean | undefined {
  const ends = (status?.containerStatuses ?? [])
    .map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''))
    .filter((end) => !Number.isNaN(end));
  return ends.length === 0 ? undefined : ends.every((end) => end + KEPT_MS < nowMs);
}

import { setTimeout as delay } from 'node:timers/promises';
import { removeOrphans } from '../../sandbox/ownership/orphans.ts';
import { decodeOwner, type Owner } from '../../sandbox/ownership/owner.ts';
import type { FoundSandbox, SandboxVerdict } from '../../sandbox/sandbox.ts';
import { extensionsPath } from './agent-sandbox/objects.ts';
import type { ApiRequest, Cluster } from './cluster/cluster.ts';
import type { HostState } from './keys/host-observer.ts';
import type { HostStates } from './keys/hosts.ts';
import type { LeaseKeys } from './keys/lease-keys.ts';
import { isEnded } from './persistent/epoch.ts';
import { ANNOTATIONS, LABELS } from './pod/pod-template.ts';
import type { Pod } from './pod/pod-types.ts';

/** A host that has lost its pod asks within seconds why it ended. */
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
  { namespace, keys, signal }: SearchOptions,
): Promise<readonly FoundSandbox[]> {
  // In this order: a host that makes a pod has a Lease.
  const pods = await listPods(cluster, namespace, signal);
  const hosts = await keys.hosts(signal);
  return pods.map((pod) => describe(pod, hosts));
}

/**
 * Removes pods of dead hosts that have ended, or that never started. First watches the hosts of such
 * pods for as long as it takes to be sure.
 * @throws ApiError
 */
export async function removeOrphanedPods(
  cluster: Cluster,
  { namespace, keys, signal }: SearchOptions,
): Promise<readonly FoundSandbox[]> {
  const pods = await listPods(cluster, namespace, signal);
  let hosts = await keys.hosts(signal);
  const atStake = pods.filter((pod) => judgePod(pod, 'dead', Date.now()) === 'orphan');
  let unsure = atStake.flatMap((pod) => ownerOf(pod)?.id ?? []).filter(isUnsure);
  while (unsure.length > 0) {
    await delay(keys.lookMs, undefined, { signal });
    hosts = await keys.hosts(signal);
    unsure = unsure.filter(isUnsure);
  }
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const found = pods.map((pod) => describe(pod, hosts));
  return removeOrphans(found, async (name) => {
    return cluster.send({ method: 'DELETE', ...removalOf(namespace, byName.get(name)) }).then(
      () => true,
      () => false,
    );
  });

  function isUnsure(host: string): boolean {
    return hosts.get(host) === 'unsure';
  }
}

/** A pod of agent-sandbox ends with its claim. If only the pod were deleted, the controller would make another pod. */
export function removalOf(
  namespace: string,
  pod: Pod | undefined,
): Pick<ApiRequest, 'path' | 'body'> {
  const { name = '', uid, annotations } = pod?.metadata ?? {};
  const claim = annotations?.[ANNOTATIONS.claim];
  if (claim !== undefined) {
    // No other claim ever has its name.
    const claims = extensionsPath(namespace, 'sandboxclaims');
    return { path: `${claims}/${encodeURIComponent(claim)}` };
  }
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  return { path, body: { preconditions: { uid } } };
}

async function listPods(
  cluster: Cluster,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${LABELS.session}`;
  return ((await cluster.send({ method: 'GET', path, signal })) as { items: Pod[] }).items;
}

function describe(pod: Pod, hosts: HostStates): FoundSandbox {
  const owner = ownerOf(pod);
  const host = owner && (hosts.get(owner.id) ?? 'dead');
  return {
    id: pod.metadata.name,
    sessionId: pod.metadata.labels?.[LABELS.session] ?? '',
    owner: owner && { machine: owner.machine, processId: owner.processId },
    createdAtMs: Date.parse(pod.metadata.creationTimestamp),
    state: pod.status?.phase ?? 'Unknown',
    verdict: judgePod(pod, host, Date.now()),
  };
}

function ownerOf({ metadata: { annotations } }: Pod): Owner | undefined {
  return decodeOwner(annotations?.[ANNOTATIONS.owner]);
}

/**
 * What happens to a pod. One that runs ends by itself half a minute after its host, or after its idle
 * limit, so it is never an orphan: its host may only be silent.
 * @param host - What is known of its host. Undefined if the pod does not name one.
 */
export function judgePod(pod: Pod, host: HostState | undefined, nowMs: number): SandboxVerdict {
  const { phase } = pod.status ?? {};
  const hasHost = host === 'alive' || host === 'unsure';
  if (phase === 'Succeeded' || phase === 'Failed') {
    if (host === 'dead' || endedLongAgo(pod, nowMs)) return 'orphan';
    return hasHost ? 'live' : 'foreign';
  }
  const isPersistent = pod.metadata.labels?.[LABELS.persistent] === 'true';
  if (phase === 'Running' && isPersistent && !isEnded(pod)) return 'persistent';
  if (phase === 'Pending' && host === 'dead') return 'orphan';
  return hasHost ? 'live' : 'foreign';
}

function endedLongAgo({ status }: Pod, nowMs: number): boolean {
  const ends = (status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse(state?.terminated?.finishedAt ?? ''),
  );
  return ends.every((end) => Number.isNaN(end) || end + KEPT_MS < nowMs);
}

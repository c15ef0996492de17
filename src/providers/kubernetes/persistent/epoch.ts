import { PtcError } from '../../../shared/errors.ts';
import { ApiError } from '../cluster/api-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Patch } from '../keys/key-lease.ts';
import { ANNOTATIONS } from '../pod/pod-template.ts';
import type { Pod } from '../pod/pod-types.ts';

// A pod that outlives its host says in an annotation how many hosts have had it. Who takes it over
// raises the number first, and then shows it to the sidecar, which serves no host with a lower one.
// So one host at a time uses the pod, and only that host can end it, whatever others believe.

/** The epoch of the host that made a pod. */
export const FIRST_EPOCH = 1;

/** In place of the number: the host that had the pod is about to delete it. */
const ENDED = 'ended';

const PATH = `/metadata/annotations/${ANNOTATIONS.epoch}`;

/** A pod by its path in the API. */
export interface PodPath {
  readonly cluster: Cluster;
  readonly path: string;
}

/** Whether the host that had a pod has ended it. */
export function isEnded({ metadata: { annotations } }: Pod): boolean {
  return annotations?.[ANNOTATIONS.epoch] === ENDED;
}

/**
 * Takes a pod over.
 * @param owner - This host, as `encodeOwner` writes it.
 * @param pod - As it was read after this host got the key of its session.
 * @returns the epoch of this host; undefined if another one has changed the pod since.
 * @throws ApiError, PtcError `SANDBOX_UNAVAILABLE` if the API server does not answer or the pod has no
 * epoch, or the signal's reason.
 */
export async function takeEpoch(
  place: PodPath,
  { metadata: { name, annotations } }: Pod,
  owner: string,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const before = annotations?.[ANNOTATIONS.epoch];
  const epoch = Number(before) + 1;
  if (before === undefined || !Number.isSafeInteger(epoch)) {
    throw new PtcError(
      'SANDBOX_UNAVAILABLE',
      `The pod ${name} does not say how many hosts have had it: its annotation ${ANNOTATIONS.epoch} is ${before ?? 'missing'}. Delete it to begin anew.`,
      { details: { sandboxId: name } },
    );
  }
  const change: Patch = [
    ...epochChange(before, String(epoch)),
    { op: 'add', path: `/metadata/annotations/${ANNOTATIONS.owner}`, value: owner },
  ];
  return (await patch(place, change, signal)) ? epoch : undefined;
}

/**
 * Says that a pod is about to be deleted, so that no host takes it over.
 * @returns false if another host has taken it over, or it is gone.
 * @throws ApiError, or PtcError `SANDBOX_UNAVAILABLE`.
 */
export async function endEpoch(place: PodPath, epoch: number): Promise<boolean> {
  return patch(place, epochChange(String(epoch), ENDED));
}

function epochChange(before: string, after: string): Patch {
  return [
    { op: 'test', path: PATH, value: before },
    { op: 'replace', path: PATH, value: after },
  ];
}

/** @returns false if the patch tests something that is not true, or if the pod does not exist. */
async function patch(
  { cluster, path }: PodPath,
  body: Patch,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await cluster.send({ method: 'PATCH', path, body, signal });
    return true;
  } catch (error) {
    // A test that fails makes a patch invalid.
    const reasons: readonly unknown[] = ['Invalid', 'NotFound'];
    if (error instanceof ApiError && reasons.includes(error.reason)) return false;
    throw error;
  }
}

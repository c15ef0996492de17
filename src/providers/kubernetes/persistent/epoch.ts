import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { ApiError } from '../cluster/api-error.ts';
import type { ApiRequest, Cluster } from '../cluster/cluster.ts';
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

/** How long an end is tried: as long as a host tries to reach the pod after a cut. */
const END_MS = 30_000;
/** How long a try may wait for its answer, so that one on a dead connection is not the only one. */
const TRY_MS = 10_000;
/** The pauses between tries: the first, and the longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;

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
  return (await patch(place, change, { signal })) ? epoch : undefined;
}

/**
 * Says that a pod is about to be deleted, so that no host takes it over.
 * @returns false if another host has taken it over, or it is gone.
 * @throws ApiError, PtcError `SANDBOX_UNAVAILABLE`, or the signal's reason.
 */
export async function endEpoch(
  place: PodPath,
  epoch: number,
  signal?: AbortSignal,
): Promise<boolean> {
  // Twice says the same as once.
  const how = { signal, repeatable: true };
  if (await patch(place, epochChange(String(epoch), ENDED), how)) return true;
  // It may be that an earlier request arrived, and its answer was lost.
  const pod = await read(place, signal);
  return pod !== undefined && isEnded(pod);
}

/**
 * As `endEpoch`, but tries until the API server has done it. It may be busy for a moment, or a
 * request cut, and one that starts forbids for a while what it allows later. A pod that still counts
 * as running would be taken over with its variables by the next host of its session, even if that is
 * this one and has just been told to begin anew.
 * @throws PtcError `SANDBOX_UNAVAILABLE` if the API server refuses or does not answer for long.
 */
export async function endEpochSurely(place: PodPath, epoch: number): Promise<boolean> {
  const giveUpAt = performance.now() + END_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
    try {
      return await endEpoch(place, epoch, AbortSignal.timeout(TRY_MS));
    } catch (error) {
      if (performance.now() + pauseMs >= giveUpAt) throw notEnded(place, error);
    }
    await delay(pauseMs);
  }
}

function notEnded({ path }: PodPath, cause: unknown): PtcError {
  const sandboxId = path.slice(path.lastIndexOf('/') + 1);
  return new PtcError(
    'SANDBOX_UNAVAILABLE',
    `The pod ${sandboxId} could not be ended: ${messageOf(cause)}. Until it ends by itself after its idle time, the next host of its session gets its variables. Delete it to begin anew.`,
    { cause, details: { sandboxId } },
  );
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
  how: Pick<ApiRequest, 'repeatable' | 'signal'>,
): Promise<boolean> {
  // A test that fails makes a patch invalid.
  const request = { method: 'PATCH', path, body, ...how } as const;
  return (await unless(['Invalid', 'NotFound'], cluster.send(request))) !== undefined;
}

/** @returns undefined if the pod does not exist. */
async function read(
  { cluster, path }: PodPath,
  signal: AbortSignal | undefined,
): Promise<Pod | undefined> {
  const pod = await unless(['NotFound'], cluster.send({ method: 'GET', path, signal }));
  return pod as Pod | undefined;
}

/** Undefined if the API server refuses for one of these reasons. */
async function unless(reasons: readonly unknown[], answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && reasons.includes(error.reason)) return undefined;
    throw error;
  }
}

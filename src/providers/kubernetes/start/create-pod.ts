import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../cluster/api-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Pod } from '../pod/pod-types.ts';

const PAUSE_MS = 250;

export interface CreateOptions {
  /** The path of all pods of the namespace. */
  readonly pods: string;
  /** Of the pod. No other has it. */
  readonly name: string;
  readonly body: object;
  /** How long the cluster may take to prepare a new namespace, and to count this pod. */
  readonly startMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a pod. If the namespace is so new that the cluster has not prepared it, or the API server
 * cannot count the pod for the quota at the moment, this waits.
 * @throws ApiError, PtcError `SANDBOX_UNAVAILABLE`, or the signal's reason.
 */
export async function createPod(cluster: Cluster, options: CreateOptions): Promise<Pod> {
  const { pods: path, name, body, startMs, signal } = options;
  const giveUpAt = performance.now() + startMs;
  for (;;) {
    try {
      // Not with the signal: a pod of which the answer is lost could not be told from none.
      return (await cluster.send({ method: 'POST', path, body, repeatable: true })) as Pod;
    } catch (error) {
      // It was sent twice, and the first time it had arrived.
      if (error instanceof ApiError && error.reason === 'AlreadyExists') {
        return (await cluster.send({ method: 'GET', path: `${path}/${name}` })) as Pod;
      }
      const isTemporary = isUnprepared(error) || isUncounted(error);
      if (!isTemporary || performance.now() > giveUpAt) throw error;
    }
    await delay(PAUSE_MS, undefined, { signal });
  }
}

/**
 * Whether the namespace lacks what the cluster makes a moment after it: the ServiceAccount that each
 * pod names, and what the quota has counted.
 */
export function isUnprepared(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.reason === 'Forbidden' &&
    /error looking up service account|status unknown for quota/.test(error.answer)
  );
}

/** Whether the API server could not count the pod: others changed the quota meanwhile, or it was too busy. */
function isUncounted(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { reason, answer } = error;
  const isLate = reason === 'InternalError' && answer.includes('resource quota evaluat');
  return isLate || reason === 'Conflict';
}

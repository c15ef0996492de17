import { setTimeout as delay } from 'node:timers/promises';
import { PtcError } from '../../../shared/errors.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { CODE } from '../pod/pod-template.ts';
import type { Pod } from '../pod/pod-types.ts';

/** The kubelet looks once a second whether a container has ended. */
const REPORT_MS = 5000;
const PAUSE_MS = 250;

/** A pod by its path in the API. */
export interface PodPlace {
  readonly cluster: Cluster;
  readonly path: string;
}

/**
 * Why the runner of a pod ended, as the API server knows it.
 * @param error - What its streams say of it. Undefined if the runner has ended them.
 */
export async function endOfPod(
  { cluster, path }: PodPlace,
  error: PtcError | undefined,
): Promise<PtcError | undefined> {
  const giveUpAt = performance.now() + REPORT_MS;
  do {
    const pod = await cluster.send({ method: 'GET', path }).catch(() => undefined);
    const reason = pod === undefined ? undefined : reasonIn(pod as Pod);
    if (reason !== undefined) return reason;
    // It is gone, or nobody knows more.
    if (pod === undefined || error !== undefined) return error;
    await delay(PAUSE_MS);
  } while (performance.now() < giveUpAt);
  return error;
}

function reasonIn({ status = {} }: Pod): PtcError | undefined {
  const state = status.containerStatuses?.find(({ name }) => name === CODE)?.state;
  const { terminated } = state ?? {};
  if (terminated?.reason === 'OOMKilled') {
    return new PtcError(
      'SANDBOX_LOST',
      'The program needed more memory than the sandbox has, and the sandbox was ended. The session’s state is lost.',
      { details: { reason: 'memory' } },
    );
  }
  if (status.reason !== undefined) {
    const why = [status.reason, status.message].filter(Boolean).join(': ');
    return new PtcError('SANDBOX_LOST', `The cluster ended the sandbox: ${why}.`, {
      details: { reason: status.reason },
    });
  }
  if (terminated === undefined) return undefined;
  const { exitCode, reason } = terminated;
  return new PtcError(
    'SANDBOX_LOST',
    `The runner of the sandbox ended (${reason ?? 'status'} ${exitCode}).`,
  );
}

/** Removes a pod. If the API server is not there, the pod ends by itself without its host. */
export async function removePod({ cluster, path }: PodPlace): Promise<void> {
  await cluster.send({ method: 'DELETE', path }).catch(() => undefined);
}

import { setTimeout as delay } from 'node:timers/promises';
import { untilSettled } from '../../../shared/async/background.ts';
import { PtcError } from '../../../shared/errors.ts';
import { ApiError } from '../cluster/api-error.ts';
import { endEpoch, endEpochSurely, type PodPath } from '../persistent/epoch.ts';
import { CODE } from '../pod/pod-template.ts';
import type { Pod } from '../pod/pod-types.ts';
import { ChannelRefused, type OpenChannel } from '../streams/channel.ts';

/** The kubelet looks once a second whether a container has ended. A busy node takes longer. */
const REPORT_MS = 15_000;
const PAUSE_MS = 250;
/** How often to look whether a pod that cannot be reached has ended, and how long that may take. */
const LOOK_MS = 1000;
/** The phases of pods whose containers have ended, and are not started again. */
const ENDED: ReadonlySet<string> = new Set(['Failed', 'Succeeded']);

/** The pod of a sandbox of this host. */
export interface PodPlace extends PodPath {
  /** That of this host. Undefined if the pod ends with this host. */
  readonly epoch: number | undefined;
  /** The path of its SandboxClaim, with which it ends. Undefined if it has none. */
  readonly claim?: string;
}

/**
 * Why the runner of a pod ended, as the API server knows it.
 * @param error - What its streams say of it. Undefined if the runner has ended them.
 */
export async function endOfPod(
  { cluster, path }: PodPath,
  error: PtcError | undefined,
): Promise<PtcError | undefined> {
  const late = AbortSignal.timeout(REPORT_MS);
  do {
    try {
      const pod = (await cluster.send({ method: 'GET', path, signal: late })) as Pod;
      const reason = reasonIn(pod);
      if (reason !== undefined) return reason;
    } catch (failure) {
      if (isGone(failure)) return error;
    }
    // Nobody knows more.
    if (error !== undefined) return error;
    await delay(PAUSE_MS);
  } while (!late.aborted);
  return error;
}

/**
 * Whether an API server says that the pod does not exist. A server that is busy, or has just started, may refuse the question
 * for a moment and answer it later.
 */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'NotFound';
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

/**
 * Opens channels to a pod until it has ended. A pod that was evicted, or whose node shut down, cannot
 * be reached, but its record stays, so refusals do not say that another attempt is in vain.
 */
export function unlessEnded(open: OpenChannel, { cluster, path }: PodPath): OpenChannel {
  let lookedAt = -Infinity;
  return async (listener, signal) => {
    try {
      return await open(listener, signal);
    } catch (error) {
      if (error instanceof ChannelRefused || performance.now() - lookedAt < LOOK_MS) throw error;
      lookedAt = performance.now();
      const late = AbortSignal.timeout(LOOK_MS);
      const pod = await cluster.send({ method: 'GET', path, signal: late }).catch(() => undefined);
      const phase = (pod as Pod | undefined)?.status?.phase ?? '';
      if (!ENDED.has(phase)) throw error;
      throw new ChannelRefused(`the pod has ended (${phase})`, { cause: error });
    }
  };
}

/** Whether the API server knows, or learns within a moment, that the runner of a pod has ended. */
export async function hasEnded({ cluster, path }: PodPath): Promise<boolean> {
  const late = AbortSignal.timeout(REPORT_MS);
  do {
    try {
      const pod = (await cluster.send({ method: 'GET', path, signal: late })) as Pod;
      if (reasonIn(pod) !== undefined) return true;
    } catch (error) {
      if (isGone(error)) return true;
    }
    await delay(PAUSE_MS);
  } while (!late.aborted);
  return false;
}

/**
 * Removes a pod, unless another host has taken it over. If the API server is not there, the pod ends
 * by itself without its host.
 */
export async function removePod({ cluster, path, epoch, claim = path }: PodPlace): Promise<void> {
  try {
    if (epoch !== undefined && !(await endEpoch({ cluster, path }, epoch))) return;
    await cluster.send({ method: 'DELETE', path: claim, repeatable: true });
  } catch {
    // It is gone, or the API server is not there.
  }
}

/**
 * As `removePod`, for a pod that may have run programs: one that outlives its host must not be found
 * again when its session begins anew. If it could not be ended, the process gets a warning, because
 * callers need not know how to go on.
 */
export async function removeUsedPod(place: PodPlace): Promise<void> {
  const { epoch } = place;
  await untilSettled(async () => {
    const isOurs = epoch === undefined || (await endEpochSurely(place, epoch));
    // From now on, nobody takes it over, whether it can be deleted at once or not.
    if (isOurs) await removePod({ ...place, epoch: undefined });
  });
}

import { AnySignal } from '../../../shared/async/any-signal.ts';
import { PtcError } from '../../../shared/errors.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { changesOf } from '../cluster/watch.ts';
import { CODE, SIDECAR } from '../pod/pod-template.ts';
import type { ContainerState, Pod, PodStatus } from '../pod/pod-types.ts';

/** Reasons for which the kubelet has no image, and will not have one soon. */
const NO_IMAGE: ReadonlySet<string | undefined> = new Set([
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
]);
/** Reasons for which the kubelet cannot start a container. It would try again and again. */
const NO_START: ReadonlySet<string | undefined> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);
const CONTAINERS: readonly string[] = [CODE, SIDECAR];

export interface WaitOptions {
  readonly namespace: string;
  readonly name: string;
  /** How long a pod may take. A cluster may have to add a node first. */
  readonly startMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits until both containers of a pod run.
 * @throws PtcError `IMAGE_UNAVAILABLE`, `SANDBOX_LIMIT` if no node has room, `SANDBOX_START_FAILED`;
 * ApiError; or the signal's reason.
 */
export async function waitUntilRunning(cluster: Cluster, options: WaitOptions): Promise<void> {
  const { namespace, name, startMs, signal } = options;
  const late = AbortSignal.timeout(startMs);
  using within = new AnySignal(signal, late);
  const list = `/api/v1/namespaces/${namespace}/pods`;
  let last: PodStatus = {};
  try {
    for await (const object of changesOf(cluster, { list, name }, within.signal)) {
      last = (object as Pod).status ?? {};
      const failure = failureOf(last);
      if (failure !== undefined) throw failure;
      if (isRunning(last)) return;
    }
  } catch (error) {
    if (!late.aborted || signal?.aborted === true) throw error;
    throw lateError(last, startMs);
  }
  throw new PtcError(
    'SANDBOX_START_FAILED',
    'The pod of the sandbox was deleted while it started. Find out what deletes pods, and run again.',
  );
}

function isRunning(status: PodStatus): boolean {
  const states = statesOf(status);
  return states.length === CONTAINERS.length && states.every((one) => one.running);
}

/** Those of both containers. A pod to which the cluster has added another one is refused when its walls are judged. */
function statesOf({ containerStatuses = [] }: PodStatus): readonly ContainerState[] {
  return containerStatuses
    .filter(({ name }) => CONTAINERS.includes(name))
    .map(({ state = {} }) => state);
}

/** What of a pod's status means that it does not start. Undefined if it may. */
function failureOf(status: PodStatus): PtcError | undefined {
  for (const { waiting, terminated } of statesOf(status)) {
    const { reason, message = '' } = waiting ?? terminated ?? {};
    const why = [reason, message].filter(Boolean).join(': ');
    if (NO_IMAGE.has(reason)) {
      return new PtcError(
        'IMAGE_UNAVAILABLE',
        `A node of the cluster has no image for the sandbox: ${why}. Correct the image of the template, or let nodes pull it.`,
      );
    }
    if (NO_START.has(reason) || terminated !== undefined) {
      const exit = terminated === undefined ? '' : ` (status ${terminated.exitCode})`;
      return new PtcError(
        'SANDBOX_START_FAILED',
        `A container of the sandbox did not start: ${why}${exit}. The image of the template needs python3 3.9 or newer; \`kubectl describe pod\` says more.`,
      );
    }
  }
  if (status.phase === 'Failed') {
    const why = [status.reason, status.message].filter(Boolean).join(': ');
    return new PtcError('SANDBOX_START_FAILED', `The pod of the sandbox failed: ${why}.`);
  }
  return undefined;
}

/** The error for a pod that takes too long. */
function lateError(status: PodStatus, startMs: number): PtcError {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    return new PtcError(
      'SANDBOX_LIMIT',
      `No node of the cluster took the sandbox within ${startMs} ms: ${scheduled.message ?? scheduled.reason ?? 'the scheduler gives no reason'}. End other sandboxes, add nodes, or ask for less.`,
      { details: { reason: scheduled.reason } },
    );
  }
  const waiting = statesOf(status).map((one) => one.waiting?.reason);
  const why = waiting.filter((one) => one !== undefined).join(', ') || status.phase || 'unknown';
  return new PtcError(
    'SANDBOX_START_FAILED',
    `The pod of the sandbox did not start within ${startMs} ms. Its state: ${why}. \`kubectl describe pod\` says more.`,
  );
}

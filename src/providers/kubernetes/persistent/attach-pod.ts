import type { ResourceLimits, Sandbox } from '../../../sandbox/sandbox.ts';
import { isRecord } from '../../../shared/guards.ts';
import { PtcError } from '../../../shared/errors.ts';
import { ApiError } from '../cluster/api-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { ANNOTATIONS, CODE, LABELS, POD_VERSION, SIDECAR } from '../pod/pod-template.ts';
import type { Pod } from '../pod/pod-types.ts';
import type { PodUsers } from '../pod/sandbox-pod.ts';
import { connectPod, type Wall } from '../start/connect-pod.ts';
import { hasEnded, removePod } from '../start/pod-end.ts';
import { isEnded, takeEpoch } from './epoch.ts';

export interface AttachOptions {
  readonly namespace: string;
  /** The walls that need not be there. */
  readonly without: readonly Wall[];
  /** Whether this host still has the key of the session, as the API server knows it. */
  readonly hasKey: () => Promise<boolean>;
  /** This host, as `encodeOwner` writes it. */
  readonly owner: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes over the persistent pod of a session. Undefined if none runs. Pods of the session that do not
 * run are removed if this host still has the key: then nobody else will use them.
 * @throws PtcError `SANDBOX_LOST` if the pod runs but its sidecar cannot be reached,
 * `SANDBOX_START_FAILED` if it runs but its walls are not confirmed,
 * `SANDBOX_UNAVAILABLE` if it is of another version, `SESSION_HELD` if the key was lost meanwhile;
 * ApiError; or the signal's reason.
 */
export async function attachPod(
  cluster: Cluster,
  sessionId: string,
  options: AttachOptions,
): Promise<Sandbox | undefined> {
  const { namespace, hasKey, owner, signal } = options;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  for (;;) {
    const found = await findPods(cluster, pods, sessionId, signal);
    // In this order: a host that loses its key after this has read the pods before the new holder
    // changes them or makes one, and then changes nothing.
    if (!(await hasKey())) throw heldError(sessionId);
    if (!(await removeEnded(cluster, pods, found.ended))) continue;
    const pod = found.running;
    if (pod === undefined) {
      // The removals may have taken long.
      if (found.ended.length > 0 && !(await hasKey())) throw heldError(sessionId);
      return undefined;
    }
    checkVersion(pod, sessionId);
    const path = `${pods}/${pod.metadata.name}`;
    const epoch = await takeEpoch({ cluster, path }, pod, owner, signal);
    if (epoch !== undefined) return connect({ cluster, path, epoch }, pod, sessionId, options);
  }
}

/** The persistent pods of a session: the newest one that runs, and those that do not. */
async function findPods(
  cluster: Cluster,
  pods: string,
  sessionId: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly running: Pod | undefined; readonly ended: readonly Pod[] }> {
  const labelSelector = `${LABELS.session}=${sessionId},${LABELS.persistent}=true`;
  const query = new URLSearchParams({ labelSelector });
  const path = `${pods}?${query.toString()}`;
  const { items } = (await cluster.send({ method: 'GET', path, signal })) as { items: Pod[] };
  const running = items.filter(runs).toSorted((one, other) => createdAt(other) - createdAt(one));
  return { running: running[0], ended: items.filter((pod) => !runs(pod)) };
}

/**
 * @returns false if one of them has changed since it was read, so that it may run now.
 * @throws what `Cluster.send` throws if one may still be there.
 */
async function removeEnded(
  cluster: Cluster,
  pods: string,
  ended: readonly Pod[],
): Promise<boolean> {
  const removals = ended.map(async ({ metadata: { name, uid, resourceVersion } }) => {
    const body = { preconditions: { uid, resourceVersion } };
    try {
      await cluster.send({ method: 'DELETE', path: `${pods}/${name}`, body });
      return true;
    } catch (error) {
      const { reason } = error instanceof ApiError ? error : {};
      if (reason === 'Conflict') return false;
      if (reason !== 'NotFound') throw error;
      return true;
    }
  });
  return (await Promise.all(removals)).every(Boolean);
}

function runs(pod: Pod): boolean {
  const { phase, containerStatuses = [] } = pod.status ?? {};
  const hasRunner = containerStatuses.every(({ state }) => state?.terminated === undefined);
  const isLeaving = isEnded(pod) || pod.metadata.deletionTimestamp !== undefined;
  return phase === 'Running' && hasRunner && !isLeaving;
}

function createdAt({ metadata }: Pod): number {
  return Date.parse(metadata.creationTimestamp);
}

/** @throws PtcError `SANDBOX_UNAVAILABLE` */
function checkVersion({ metadata: { name, labels } }: Pod, sessionId: string): void {
  const version = labels?.[LABELS.version];
  if (version === POD_VERSION) return;
  throw new PtcError(
    'SANDBOX_UNAVAILABLE',
    `The sandbox of session ${sessionId} is the pod ${name} of version ${version ?? 'unknown'}, and this process needs version ${POD_VERSION}. Use it from a process whose package has that version, or delete the pod to begin anew.`,
    { details: { sessionId, sandboxId: name, version } },
  );
}

function heldError(sessionId: string): PtcError {
  return new PtcError(
    'SESSION_HELD',
    `Another host got the key of session ${sessionId} while this one connected to its sandbox. Acquire the key again.`,
    { details: { sessionId } },
  );
}

async function connect(
  place: Parameters<typeof connectPod>[0],
  pod: Pod,
  sessionId: string,
  options: AttachOptions,
): Promise<Sandbox | undefined> {
  const { signal, hasKey } = options;
  const sandboxId = pod.metadata.name;
  try {
    const known = readPod(pod);
    const sandbox = await connectPod(place, { ...options, pod, ...known });
    if (signal?.aborted === true) await sandbox.detach();
    signal?.throwIfAborted();
    return sandbox;
  } catch (cause) {
    if (!PtcError.isInstance(cause)) throw cause;
    const { code, message, details } = cause;
    // Its walls are not confirmed now, but may have been when programs ran in it: somebody may have debugged it since.
    if (code === 'SANDBOX_START_FAILED') {
      throw new PtcError(
        code,
        `The sandbox of session ${sessionId} runs as the pod ${sandboxId}, which was not taken over: ${message} Undo what has changed the pod, or delete it to begin anew.`,
        { cause, details: { ...details, sessionId, sandboxId } },
      );
    }
    if (code !== 'SANDBOX_LOST') throw cause;
    if (await hasEnded(place)) {
      await removePod(place);
      // The connection may have been tried for long.
      if (!(await hasKey())) throw heldError(sessionId);
      return undefined;
    }
    throw new PtcError(
      'SANDBOX_LOST',
      `The sandbox of session ${sessionId} runs as the pod ${sandboxId}, but this process could not connect to it: ${message} Try again, or delete the pod and start a new session.`,
      { cause, details: { sessionId, sandboxId } },
    );
  }
}

const LIMITS = ['memoryBytes', 'cpus', 'processes', 'temporaryStorageBytes'] as const;

/** What the host that made a pod asked for. @throws PtcError `SANDBOX_UNAVAILABLE` */
function readPod({ metadata: { name, annotations }, spec }: Pod): {
  readonly limits: ResourceLimits;
  readonly users: PodUsers;
} {
  const limits = parse(annotations?.[ANNOTATIONS.limits]);
  const [sidecar, code] = [SIDECAR, CODE].map((container) => {
    const found = spec.containers.find((one) => one.name === container);
    return found?.securityContext?.['runAsUser'];
  });
  if (!isLimits(limits) || typeof sidecar !== 'number' || typeof code !== 'number') {
    throw new PtcError(
      'SANDBOX_UNAVAILABLE',
      `The pod ${name} does not say what its sandbox may use. Delete it to begin anew.`,
      { details: { sandboxId: name } },
    );
  }
  return { limits, users: { sidecar, code } };
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function isLimits(value: unknown): value is ResourceLimits {
  return isRecord(value) && LIMITS.every((name) => typeof value[name] === 'number');
}

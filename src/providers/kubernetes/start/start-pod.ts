import { randomUUID } from 'node:crypto';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { Sandbox, SandboxSpec } from '../../../sandbox/sandbox.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { FIRST_EPOCH } from '../persistent/epoch.ts';
import type { PodTemplate } from '../pod/pod-types.ts';
import { chooseUsers, sandboxPod } from '../pod/sandbox-pod.ts';
import { connectPod, type Wall } from './connect-pod.ts';
import { createPod } from './create-pod.ts';
import { removePod } from './pod-end.ts';
import { reachedWithoutPolicy } from './unselected-pod.ts';
import { waitUntilRunning } from './wait-until-running.ts';

export interface StartOptions {
  readonly namespace: string;
  readonly template: PodTemplate;
  readonly guests: readonly Guest[];
  /** This host, as `encodeOwner` writes it. */
  readonly owner: string;
  /** The walls that need not be there. */
  readonly without: readonly Wall[];
  readonly startMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a pod, and connects to the runner in it. If anything fails, the pod is removed.
 * @throws PtcError, ApiError, or the signal's reason.
 */
export async function startPod(
  cluster: Cluster,
  spec: SandboxSpec,
  options: StartOptions,
): Promise<Sandbox> {
  const { namespace, template, guests, owner, signal } = options;
  const name = `sandbox-${randomUUID()}`;
  const users = chooseUsers();
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const body = sandboxPod(spec, { name, template, guests, users, owner });
  const epoch = spec.persistent && FIRST_EPOCH;
  const place = { cluster, path: `${pods}/${name}`, epoch };
  try {
    const pod = await createPod(cluster, { ...options, pods, name, body });
    signal?.throwIfAborted();
    await waitUntilRunning(cluster, { ...options, name });
    const { limits, persistent } = spec;
    const tryWithoutPolicy = async (): Promise<readonly string[]> =>
      reachedWithoutPolicy(cluster, spec, options);
    const about = { ...options, pod, asked: body, limits, users, tryWithoutPolicy };
    const sandbox = await connectPod(place, about);
    if (persistent !== undefined) {
      const { idleLimitMs } = persistent;
      sandbox.transport.send({ kind: 'attach', attach_id: 'start', idle_limit_ms: idleLimitMs });
    }
    return sandbox;
  } catch (error) {
    await removePod(place);
    throw error;
  }
}

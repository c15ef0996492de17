import type { Sandbox, SandboxSpec } from '../../../sandbox/sandbox.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { askedAgain, usersOf } from '../pod/sandbox-pod.ts';
import type { PodPool } from '../pool/pod-pool.ts';
import { connectPod } from './connect-pod.ts';
import { removePod } from './pod-end.ts';
import type { StartOptions } from './start-pod.ts';

/**
 * Claims a pod of the pool, and connects to the runner in it. Undefined if none is ready. One that
 * cannot be used is removed: a new pod shows whether that has a reason.
 * @throws PtcError, ApiError, or the signal's reason.
 */
export async function startClaimedPod(
  cluster: Cluster,
  spec: SandboxSpec,
  { pool, ...options }: StartOptions & { readonly pool: PodPool },
): Promise<Sandbox | undefined> {
  const { namespace, signal } = options;
  const pod = await pool.claim(spec, options, signal);
  if (pod === undefined) return undefined;
  const path = `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}`;
  const place = { cluster, path, epoch: undefined };
  try {
    signal?.throwIfAborted();
    const users = usersOf(pod);
    if (users !== undefined) {
      const asked = askedAgain(pod, spec, { ...options, users });
      return await connectPod(place, { ...options, pod, asked, limits: spec.limits, users });
    }
  } catch {
    // A new pod may be better.
  }
  await removePod(place);
  signal?.throwIfAborted();
  return undefined;
}

import { randomUUID } from 'node:crypto';
import type { Sandbox, SandboxSpec } from '../../../sandbox/sandbox.ts';
import { PtcError } from '../../../shared/errors.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { LABELS, POD_VERSION } from '../pod/pod-template.ts';
import type { Pod, PodTemplate } from '../pod/pod-types.ts';
import { connectPod } from '../start/connect-pod.ts';
import { removePod } from '../start/pod-end.ts';
import type { StartOptions } from '../start/start-pod.ts';
import { claimPod } from './claim-pod.ts';
import { extensionsPath } from './objects.ts';
import { checkFit } from './read-warm-pool.ts';
import { runsTheSame, WARM_USERS } from './warm-pod.ts';

/**
 * Claims a pod of a warm pool of agent-sandbox, and connects to the runner in it. If anything fails,
 * the claim is removed, and the controller ends the pod.
 * @throws PtcError, ApiError, or the signal's reason.
 */
export async function startWarmPod(
  cluster: Cluster,
  spec: SandboxSpec,
  { warmPool, ...options }: StartOptions & { readonly warmPool: string },
): Promise<Sandbox> {
  const { namespace, template, guests, signal } = options;
  checkFit(spec, template, guests);
  const { sessionId, limits } = spec;
  const name = `sandbox-${randomUUID()}`;
  const claim = `${extensionsPath(namespace, 'sandboxclaims')}/${name}`;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  try {
    const pod = await claimPod(cluster, { ...options, name, warmPool, sessionId });
    signal?.throwIfAborted();
    checkPod(pod, template);
    const place = { cluster, path: `${pods}/${pod.metadata.name}`, epoch: undefined, claim };
    const about = { ...options, pod, limits, users: WARM_USERS, needsUserNamespace: true };
    return await connectPod(place, about);
  } catch (error) {
    await removePod({ cluster, path: claim, epoch: undefined });
    throw error;
  }
}

/** A pool may still have pods of an older template. @throws PtcError `SANDBOX_START_FAILED` */
function checkPod({ metadata, spec }: Pod, { metadata: of, template }: PodTemplate): void {
  const { name, labels } = metadata;
  const isOfVersion = labels?.[LABELS.version] === POD_VERSION;
  if (isOfVersion && runsTheSame(spec, template.spec)) return;
  throw new PtcError(
    'SANDBOX_START_FAILED',
    `The pod ${name} of the warm pool is not as the SandboxTemplate ${of.name} says. It was made from an older one: run again, or delete the Sandboxes of the pool.`,
    { details: { sandboxId: name, template: of.name } },
  );
}

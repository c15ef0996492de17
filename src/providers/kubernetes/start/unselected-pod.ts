import { randomUUID } from 'node:crypto';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { SandboxSpec } from '../../../sandbox/sandbox.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { execChannel } from '../cluster/exec-channel.ts';
import { FIRST_EPOCH } from '../persistent/epoch.ts';
import { LABELS, SIDECAR } from '../pod/pod-template.ts';
import type { PodTemplate } from '../pod/pod-types.ts';
import { chooseUsers, type NewPod, relayCommand, sandboxPod } from '../pod/sandbox-pod.ts';
import { ResumableStreams } from '../streams/resumable-streams.ts';
import { readFacts } from '../walls/facts.ts';
import { createPod } from './create-pod.ts';
import { removePod } from './pod-end.ts';
import { waitUntilRunning } from './wait-until-running.ts';

const PATIENCE_MS = 30_000;

export interface UnselectedPodOptions {
  readonly namespace: string;
  readonly template: PodTemplate;
  readonly guests: readonly Guest[];
  readonly owner: string;
  readonly startMs: number;
}

/** A pod without the label by which the NetworkPolicy selects. By another one, it is found if its host dies. */
export function unselectedPod({ metadata, spec }: NewPod): NewPod {
  const { [LABELS.session]: _selected, ...labels } = metadata.labels;
  return { metadata: { ...metadata, labels: { ...labels, [LABELS.unselected]: 'true' } }, spec };
}

/**
 * Tries the network from a pod like that of a sandbox, but without the label by which the NetworkPolicy
 * selects. No program ever runs in it.
 * @returns the addresses that it reaches.
 * @throws PtcError or ApiError if it does not start.
 */
export async function reachedWithoutPolicy(
  cluster: Cluster,
  spec: SandboxSpec,
  { namespace, template, guests, owner, startMs }: UnselectedPodOptions,
): Promise<readonly string[]> {
  const name = `unselected-${randomUUID()}`;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const pod = sandboxPod(spec, { name, template, guests, users: chooseUsers(), owner });
  const body = unselectedPod(pod);
  try {
    await createPod(cluster, { pods, name, body, startMs });
    await waitUntilRunning(cluster, { namespace, name, startMs });
    const command = relayCommand(template.template.spec);
    const streams = await ResumableStreams.connect({
      open: execChannel(cluster, { namespace, pod: name, container: SIDECAR, command }),
      epoch: FIRST_EPOCH,
      patienceMs: PATIENCE_MS,
      onEnd: () => undefined,
    });
    streams.close();
    return readFacts(streams.facts).reached;
  } finally {
    await removePod({ cluster, path: `${pods}/${name}`, epoch: undefined });
  }
}

import { randomUUID } from 'node:crypto';
import { connectStreams, type StreamTransport } from '../../../protocol/stream-transport.ts';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { Protection } from '../../../sandbox/protection.ts';
import type { Sandbox, SandboxSpec } from '../../../sandbox/sandbox.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { PtcError } from '../../../shared/errors.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { execChannel } from '../cluster/exec-channel.ts';
import { KubernetesSandbox } from '../kubernetes-sandbox.ts';
import { SIDECAR } from '../pod/pod-template.ts';
import type { Pod, PodTemplate } from '../pod/pod-types.ts';
import { chooseUsers, relayCommand, sandboxPod } from '../pod/sandbox-pod.ts';
import { ResumableStreams } from '../streams/resumable-streams.ts';
import { readFacts } from '../walls/facts.ts';
import { judgeWalls } from '../walls/judge-walls.ts';
import { endOfPod, removePod } from './pod-end.ts';
import { waitUntilRunning } from './wait-until-running.ts';

/** How long to try to connect again after a cut: as long as the sidecar waits for its host. */
const PATIENCE_MS = 30_000;
/** The first host of a pod. */
const FIRST_EPOCH = 1;

/** A protection that some clusters do not have. */
export type Wall = 'network' | 'temporary files';

export interface StartOptions {
  readonly namespace: string;
  readonly template: PodTemplate;
  readonly guests: readonly Guest[];
  /** The walls that need not be there. */
  readonly without: readonly Wall[];
  readonly startMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a pod, and connects to the runner in it when its walls are confirmed. If anything fails, the
 * pod is removed.
 * @throws PtcError, ApiError, or the signal's reason.
 */
export async function startPod(
  cluster: Cluster,
  spec: SandboxSpec,
  options: StartOptions,
): Promise<Sandbox> {
  const { namespace, template, guests, signal } = options;
  const name = `sandbox-${randomUUID()}`;
  const users = chooseUsers();
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const body = sandboxPod(spec, { name, template, guests, users });
  const place = { cluster, path: `${pods}/${name}` };
  try {
    // Not with the signal: a pod of which the answer is lost could not be told from none.
    const pod = (await cluster.send({ method: 'POST', path: pods, body })) as Pod;
    signal?.throwIfAborted();
    await waitUntilRunning(cluster, { ...options, name });
    const command = relayCommand(template.template.spec);
    let transport: StreamTransport | undefined;
    const tellEnd = async (failure: PtcError | undefined): Promise<void> =>
      transport?.end(await endOfPod(place, failure));
    const streams = await ResumableStreams.connect(
      {
        open: execChannel(cluster, { namespace, pod: name, container: SIDECAR, command }),
        epoch: FIRST_EPOCH,
        patienceMs: PATIENCE_MS,
        onEnd: (failure) => inBackground(tellEnd(failure)),
      },
      signal,
    );
    const protections = judgeWalls({
      limits: spec.limits,
      users,
      pod,
      facts: readFacts(streams.facts),
    });
    try {
      checkWalls(protections, options.without);
    } catch (error) {
      streams.close();
      throw error;
    }
    transport = connectStreams(streams);
    return new KubernetesSandbox(name, { ...place, transport, protections });
  } catch (error) {
    await removePod(place);
    throw error;
  }
}

/** @throws PtcError `SANDBOX_START_FAILED` */
function checkWalls(protections: readonly Protection[], without: readonly string[]): void {
  const missing = protections.filter(({ name, holds }) => !holds && !without.includes(name));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map(({ name }) => name))];
  const list = missing.map((one) => `${one.name}: ${one.missing}`).join('; ');
  throw new PtcError(
    'SANDBOX_START_FAILED',
    `The pod of the sandbox does not isolate as it must: ${list}. No program was run. See docs/cluster.md.`,
    { details: { walls: names } },
  );
}

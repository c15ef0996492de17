import { END_OF_UNFINISHED_LINE } from '../../../protocol/frames.ts';
import { connectStreams, type StreamTransport } from '../../../protocol/stream-transport.ts';
import type { Protection } from '../../../sandbox/protection.ts';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { PtcError } from '../../../shared/errors.ts';
import { execChannel } from '../cluster/exec-channel.ts';
import { KubernetesSandbox } from '../kubernetes-sandbox.ts';
import { FIRST_EPOCH } from '../persistent/epoch.ts';
import { SIDECAR } from '../pod/pod-template.ts';
import type { Pod } from '../pod/pod-types.ts';
import { type NewPod, type PodUsers, relayCommand } from '../pod/sandbox-pod.ts';
import { ResumableStreams } from '../streams/resumable-streams.ts';
import { readFacts } from '../walls/facts.ts';
import { judgeWalls } from '../walls/judge-walls.ts';
import { endOfPod, type PodPlace, unlessEnded } from './pod-end.ts';

/** How long to try to connect again after a cut: as long as the sidecar waits for its host. */
const PATIENCE_MS = 30_000;

/** A protection that some clusters do not have. */
export type Wall = 'network' | 'processes' | 'temporary files';

/** A pod that runs, and what its walls must be like. */
export interface ConnectOptions {
  readonly namespace: string;
  /** As the API server has it. */
  readonly pod: Pod;
  /** What this host asked for. Undefined if another host did. */
  readonly asked?: NewPod;
  readonly limits: ResourceLimits;
  readonly users: PodUsers;
  /** The walls that need not be there. */
  readonly without: readonly Wall[];
  /** Whether other pods of the node may name the same users. @default false */
  readonly needsUserNamespace?: boolean;
  /** The addresses that a pod reaches which the NetworkPolicy does not select. @default not tried */
  readonly tryWithoutPolicy?: (() => Promise<readonly string[]>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects to the runner of a pod when the pod's walls are confirmed.
 * @throws PtcError `SANDBOX_START_FAILED` if they are not, `SANDBOX_LOST`, or the signal's reason.
 */
export async function connectPod(
  place: PodPlace,
  options: ConnectOptions,
): Promise<KubernetesSandbox> {
  const { namespace, pod, asked, limits, users, without, signal, tryWithoutPolicy } = options;
  const { cluster, epoch = FIRST_EPOCH } = place;
  const { name } = pod.metadata;
  const command = relayCommand(pod.spec);
  const open = execChannel(cluster, { namespace, pod: name, container: SIDECAR, command });
  let transport: StreamTransport | undefined;
  const tellEnd = async (failure: PtcError | undefined): Promise<void> =>
    transport?.end(await endOfPod(place, failure));
  const streams = await ResumableStreams.connect(
    {
      open: unlessEnded(open, place),
      epoch,
      patienceMs: PATIENCE_MS,
      onEnd: (failure) => inBackground(tellEnd(failure)),
    },
    signal,
  );
  try {
    const protections = judgeWalls({
      ...{ limits, users, pod, asked, needsUserNamespace: options.needsUserNamespace },
      facts: readFacts(streams.facts),
    });
    checkWalls(protections, without);
    // An earlier host may have died in the middle of a line.
    if (epoch > FIRST_EPOCH) streams.stdin.write(END_OF_UNFINISHED_LINE);
    transport = connectStreams(streams);
    return new KubernetesSandbox(name, {
      ...place,
      transport,
      streams,
      protections,
      tryWithoutPolicy,
    });
  } catch (error) {
    streams.close();
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

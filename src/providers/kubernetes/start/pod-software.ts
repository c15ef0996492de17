import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS, type ResourceLimits } from '../../../sandbox/sandbox.ts';
import {
  LONGEST_ANSWER,
  readSoftware,
  softwareCommand,
} from '../../../sandbox/software/ask-software.ts';
import { knownSoftware } from '../../../sandbox/software/known-software.ts';
import type { SandboxSoftware } from '../../../sandbox/software/software.ts';
import { AnySignal } from '../../../shared/async/any-signal.ts';
import { createDeferred } from '../../../shared/async/deferred.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { execChannel } from '../cluster/exec-channel.ts';
import { CODE } from '../pod/pod-template.ts';
import type { Container, PodTemplate } from '../pod/pod-types.ts';
import { readQuantity } from '../pod/quantities.ts';
import type { OpenChannel } from '../streams/channel.ts';
import type { startPod, StartOptions } from './start-pod.ts';

const ANSWER_MS = 30_000;

/** Starts a sandbox. */
export type StartSandbox = typeof startPod;

/**
 * The interpreters and libraries of the image of a template. Undefined if its answer was cut.
 * @throws PtcError, ApiError, or the signal's reason.
 */
export async function podSoftware(
  cluster: Cluster,
  options: StartOptions,
  start: StartSandbox,
): Promise<SandboxSoftware | undefined> {
  const image = codeOf(options.template)?.image ?? '';
  const place = `pods of ${cluster.server} with ${image}`;
  return knownSoftware({ place, ask: async () => askPod(cluster, options, start) });
}

/**
 * Runs the command that asks in a pod of its own. Never in the pod of a session: beside the runner,
 * without its filter of system calls, the command would be a way out for a program.
 */
async function askPod(
  cluster: Cluster,
  options: StartOptions,
  start: StartSandbox,
): Promise<string | undefined> {
  const { namespace, template, signal } = options;
  const limits = limitsOf(template);
  const spec = { sessionId: randomUUID(), languages: ['python'], limits } as const;
  const command = await softwareCommand();
  const sandbox = await start(cluster, spec, options);
  try {
    const target = { namespace, pod: sandbox.id, container: CODE, command };
    const printed = await outputOf(execChannel(cluster, target), signal);
    // The pod runs, so its image has a Python that answers. Another text is one that was cut.
    return readSoftware(printed) === undefined ? undefined : printed;
  } finally {
    await sandbox.close();
  }
}

/**
 * What a command prints until it or its connection ends, up to the longest answer.
 * @throws the signal's reason, and what `open` throws.
 */
async function outputOf(open: OpenChannel, signal: AbortSignal | undefined): Promise<string> {
  using within = new AnySignal(signal, AbortSignal.timeout(ANSWER_MS));
  const ended = createDeferred<void>();
  within.signal.addEventListener('abort', () => ended.resolve(), { once: true });
  let printed = '';
  const listener = {
    data: (bytes: Buffer): void => {
      printed += bytes.toString();
      if (printed.length > LONGEST_ANSWER) ended.resolve();
    },
    closed: (): void => ended.resolve(),
  };
  const channel = await open(listener, within.signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  await ended.promise;
  channel.close();
  signal?.throwIfAborted();
  return printed;
}

/** Those that the template allows. */
function limitsOf(template: PodTemplate): ResourceLimits {
  const most = codeOf(template)?.resources?.limits ?? {};
  const { memoryBytes, cpus } = DEFAULT_LIMITS;
  return {
    ...DEFAULT_LIMITS,
    memoryBytes: Math.min(memoryBytes, readQuantity(most['memory'] ?? '') ?? memoryBytes),
    cpus: Math.min(cpus, readQuantity(most['cpu'] ?? '') ?? cpus),
  };
}

function codeOf({ template }: PodTemplate): Container | undefined {
  return template.spec.containers.find(({ name }) => name === CODE);
}

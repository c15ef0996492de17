import { AnySignal } from '../../../shared/async/any-signal.ts';
import { PtcError } from '../../../shared/errors.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { changesOf } from '../cluster/watch.ts';
import { ANNOTATIONS, APP, LABELS } from '../pod/pod-template.ts';
import type { Metadata, Pod } from '../pod/pod-types.ts';
import {
  EXTENSIONS_VERSION,
  extensionsPath,
  POD_NAME,
  type SandboxClaim,
  sandboxPath,
} from './objects.ts';

/** How long the controller keeps the record of a pod whose host ended: see `KEPT_MS` in `found-pods.ts`. */
const KEPT_SECONDS = 300;
/** Reasons for which the controller tries no more, or in vain. */
const FINAL: ReadonlySet<string | undefined> = new Set([
  'ClaimExpired',
  'EnvVarsInjectionRejected',
  'InvalidMetadata',
  'SandboxExpired',
  'TemplateNotFound',
  'VolumeClaimTemplatesError',
  'WarmPoolNotFound',
]);

export interface ClaimPodOptions {
  readonly namespace: string;
  /** Of the claim. No other has it. */
  readonly name: string;
  readonly warmPool: string;
  readonly sessionId: string;
  /** This host, as `encodeOwner` writes it. */
  readonly owner: string;
  readonly startMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Claims a pod of a warm pool for a session, and returns it as it then is. If the pool has none, the
 * controller makes one.
 * @throws PtcError `SANDBOX_START_FAILED` if the controller gives none, `SANDBOX_LIMIT` if the quota has no
 * room, ApiError, or the signal's reason.
 */
export async function claimPod(cluster: Cluster, options: ClaimPodOptions): Promise<Pod> {
  const { namespace, sessionId, signal } = options;
  const claims = extensionsPath(namespace, 'sandboxclaims');
  // Not with the signal: a claim of which the answer is lost could not be told from none.
  await cluster.send({ method: 'POST', path: claims, body: claimOf(options) });
  signal?.throwIfAborted();
  const sandbox = await waitForSandbox(cluster, claims, options);
  const path = sandboxPath(namespace, sandbox);
  const { metadata } = (await cluster.send({ method: 'GET', path, signal })) as {
    readonly metadata: Metadata;
  };
  const pod = metadata.annotations?.[POD_NAME] ?? sandbox;
  // The controller takes away only labels that it has set.
  const body = [{ op: 'add', path: `/metadata/labels/${LABELS.session}`, value: sessionId }];
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  return (await cluster.send({ method: 'PATCH', path: `${pods}/${pod}`, body, signal })) as Pod;
}

function claimOf({ name, warmPool, owner }: ClaimPodOptions): object {
  return {
    apiVersion: EXTENSIONS_VERSION,
    kind: 'SandboxClaim',
    metadata: { name, labels: { [LABELS.app]: APP } },
    spec: {
      warmPoolRef: { name: warmPool },
      // A pod ends by itself if its host does, and the controller then removes its claim.
      lifecycle: { shutdownPolicy: 'Delete', ttlSecondsAfterFinished: KEPT_SECONDS },
      additionalPodMetadata: {
        annotations: { [ANNOTATIONS.owner]: owner, [ANNOTATIONS.claim]: name },
      },
    },
  };
}

/** @returns the name of the Sandbox whose pod runs. */
async function waitForSandbox(
  cluster: Cluster,
  list: string,
  { name, warmPool, startMs, signal }: ClaimPodOptions,
): Promise<string> {
  const late = AbortSignal.timeout(startMs);
  using within = new AnySignal(signal, late);
  let state =
    'the controller of agent-sandbox has not answered; is it installed, with its extensions?';
  try {
    for await (const object of changesOf(cluster, { list, name }, within.signal)) {
      const { conditions = [], sandbox } = (object as SandboxClaim).status ?? {};
      const ready = conditions.find(({ type }) => type === 'Ready');
      if (ready?.status === 'True' && sandbox?.name !== undefined) return sandbox.name;
      if (ready === undefined) continue;
      state = [ready.reason, ready.message].filter(Boolean).join(': ');
      if (isFull(ready)) throw noRoom(warmPool, state);
      if (FINAL.has(ready.reason)) throw refused(warmPool, state);
    }
  } catch (error) {
    if (!late.aborted || signal?.aborted === true) throw error;
    throw refused(warmPool, `not within ${startMs} ms; ${state}`);
  }
  throw refused(warmPool, 'the claim was deleted while it waited');
}

/** The controller repeats the words of the API server, and tries again. Whether a session waits is up to its executor. */
function isFull({
  status,
  message = '',
}: {
  readonly status: string;
  readonly message?: string;
}): boolean {
  return status === 'False' && message.includes('exceeded quota');
}

function noRoom(warmPool: string, why: string): PtcError {
  return new PtcError(
    'SANDBOX_LIMIT',
    `The namespace has no room for another sandbox: ${why}. End other sandboxes, or raise the quota.`,
    { details: { reason: 'Forbidden', warmPool } },
  );
}

function refused(warmPool: string, why: string): PtcError {
  return new PtcError(
    'SANDBOX_START_FAILED',
    `The warm pool ${warmPool} gave no pod: ${why}. \`kubectl describe sandboxwarmpool ${warmPool}\` says more.`,
    { details: { warmPool } },
  );
}

import { randomInt } from 'node:crypto';
import { sandboxEnvironment } from '../../../sandbox/environment.ts';
import { guestArguments } from '../../../sandbox/guests/guests.ts';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import { moduleName } from '../../../sandbox/runner-modules.ts';
import type { ResourceLimits, SandboxSpec } from '../../../sandbox/sandbox.ts';
import { PtcError } from '../../../shared/errors.ts';
import type { Container, Pod, PodTemplate, Quantities } from './pod-types.ts';
import { FIRST_EPOCH } from '../persistent/epoch.ts';
import {
  ANNOTATIONS,
  APP,
  CODE,
  GUEST_FILES,
  LABELS,
  POD_VERSION,
  RELAYS,
  RUNNER_FILES,
  SESSION_FILE,
  SIDECAR,
  temporaryVolumes,
} from './pod-template.ts';
import { mebibytes, processors, readQuantity } from './quantities.ts';

/** With the pairs, below 65536: user namespaces have no more ids, be they those of pods or of nodes without root. */
const FIRST_USER = 20_000;
const PAIRS = 20_000;
/** Under which the code asks the sidecar for its streams. */
const STREAMS = 'streams';
/** The service of clouds that gives machines their credentials. */
const METADATA = '169.254.169.254:80';
/** How long a sandbox waits for its host after the connection was cut. */
const HOST_PATIENCE_SECONDS = 30;
const SUPERVISOR = moduleName('supervisor/main.py');

/** The users of a pod's containers. The kernel counts processes by user over a whole node. */
export interface PodUsers {
  readonly sidecar: number;
  readonly code: number;
}

/** The users of a pod that the API server has. Undefined if it names none. */
export function usersOf({ spec }: Pod): PodUsers | undefined {
  const [sidecarUser, codeUser] = [SIDECAR, CODE].map(
    (name) => spec.containers.find((one) => one.name === name)?.securityContext?.['runAsUser'],
  );
  if (typeof sidecarUser !== 'number' || typeof codeUser !== 'number') return undefined;
  return sidecarUser === codeUser ? undefined : { sidecar: sidecarUser, code: codeUser };
}

/** Chosen at random. Two pods of one node may have the same: of 100, some two do with a probability of 22 %. */
export function chooseUsers(): PodUsers {
  const first = FIRST_USER + 2 * randomInt(PAIRS);
  return { sidecar: first, code: first + 1 };
}

export interface PodOptions {
  readonly name: string;
  readonly template: PodTemplate;
  readonly guests: readonly Guest[];
  readonly users: PodUsers;
  /** The host, as `encodeOwner` writes it. @default empty: a pod of a pool has none */
  readonly owner?: string;
  /** Set for a pod that waits in a pool until a session claims it. Its spec has no session. */
  readonly pool?: {
    readonly shape: string;
    /** How long it waits before it ends by itself. */
    readonly unclaimedSeconds: number;
  };
}

/** A pod to make. */
export interface NewPod {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly ownerReferences: readonly object[];
  };
  readonly spec: object;
}

/**
 * The pod of one sandbox: that of the template, with what differs from sandbox to sandbox.
 * @throws PtcError `SANDBOX_START_FAILED` if the template does not allow the limits.
 */
export function sandboxPod(spec: SandboxSpec, options: PodOptions): NewPod {
  const { name, template, guests, users, owner = '', pool } = options;
  const { metadata, spec: pod } = template.template;
  const temporary = temporaryVolumes(spec.limits);
  checkLimits(spec.limits, template);
  return {
    metadata: {
      name,
      labels: {
        ...metadata?.labels,
        [LABELS.app]: APP,
        [LABELS.version]: POD_VERSION,
        [LABELS.session]: spec.sessionId,
        ...(spec.persistent && { [LABELS.persistent]: 'true' }),
        ...(pool !== undefined && {
          [LABELS.pool]: template.metadata.uid,
          [LABELS.shape]: pool.shape,
        }),
      },
      annotations: {
        ...metadata?.annotations,
        [ANNOTATIONS.owner]: owner,
        ...(spec.persistent && {
          [ANNOTATIONS.epoch]: String(FIRST_EPOCH),
          [ANNOTATIONS.limits]: JSON.stringify(spec.limits),
        }),
      },
      // Its pods end with the template. `controller` keeps controllers away that would adopt them.
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'PodTemplate',
          name: template.metadata.name,
          uid: template.metadata.uid,
          controller: true,
        },
      ],
    },
    spec: {
      ...pod,
      containers: pod.containers.map((container) =>
        container.name === SIDECAR
          ? sidecar(container, users, patienceOf(spec, pool))
          : code(container, { spec, guests, users }),
      ),
      volumes: pod.volumes?.map(
        (volume) => temporary.find((one) => one.name === volume.name) ?? volume,
      ),
    },
  };
}

/** What a host asked for that made a pod of a pool, as far as its containers go. The template and limits are the same. */
export function askedAgain(
  { metadata: { name }, spec: { containers } }: Pod,
  spec: SandboxSpec,
  options: Pick<PodOptions, 'template' | 'guests' | 'users'>,
): NewPod {
  const { args = [] } = containers.find((one) => one.name === SIDECAR) ?? {};
  // The end of what `sidecar` writes: each pod of a pool has a time of its own.
  const unclaimedSeconds = Number(args.at(-3));
  return sandboxPod(spec, { ...options, name, pool: { shape: '', unclaimedSeconds } });
}

/** The command with which a host starts a relay in the sidecar's container. */
export function relayCommand({ containers }: PodTemplate['template']['spec']): readonly string[] {
  const command = containers.find(({ name }) => name === SIDECAR)?.command ?? [];
  return [...command, moduleName('sidecar/relay.py'), RELAYS];
}

/** For how many seconds a sidecar waits for a host; see `runner/sidecar/patience.py`. */
function patienceOf({ persistent }: SandboxSpec, pool: PodOptions['pool']): readonly number[] {
  const alone =
    persistent === undefined ? HOST_PATIENCE_SECONDS : Math.ceil(persistent.idleLimitMs / 1000);
  return [alone, HOST_PATIENCE_SECONDS, pool?.unclaimedSeconds ?? 0];
}

function sidecar(
  container: Container,
  { code: codeUser, sidecar: user }: PodUsers,
  patience: readonly number[],
): object {
  return {
    ...container,
    args: [
      moduleName('sidecar/main.py'),
      ...[STREAMS, String(codeUser), RELAYS, ...patience.map(String), SESSION_FILE],
      METADATA,
    ],
    securityContext: { ...container.securityContext, runAsUser: user, runAsGroup: user },
  };
}

interface CodeOptions extends Pick<PodOptions, 'guests' | 'users'> {
  readonly spec: SandboxSpec;
}

function code(container: Container, { spec, guests, users }: CodeOptions): object {
  const { limits } = spec;
  const start = container.command ?? [];
  const own = Object.entries(sandboxEnvironment(limits));
  return {
    ...container,
    args: [
      moduleName('sidecar/start_runner.py'),
      ...[STREAMS, String(users.sidecar), RUNNER_FILES],
      ...[String(limits.processes), String(limits.temporaryStorageBytes)],
      ...[...start, SUPERVISOR, ...guestArguments(guests, spec, GUEST_FILES)].map(escapeReferences),
    ],
    env: own.map(([name, value]) => ({ name, value })),
    resources: resourcesOf(container, limits),
    securityContext: {
      ...container.securityContext,
      runAsUser: users.code,
      runAsGroup: users.code,
    },
  };
}

/** Kubernetes replaces `$(NAME)` in arguments, and reads two dollars as one. */
function escapeReferences(argument: string): string {
  return argument.replaceAll('$', () => '$$');
}

function resourcesOf({ resources }: Container, limits: ResourceLimits): object {
  const given: Quantities = {
    ...resources?.limits,
    memory: mebibytes(limits.memoryBytes),
    cpu: processors(limits.cpus),
  };
  // More than the limit cannot be requested.
  const requests = Object.entries(resources?.requests ?? {}).map(([name, amount]) => {
    const limit = given[name];
    return [name, limit !== undefined && exceeds(amount, limit) ? limit : amount];
  });
  return { limits: given, requests: Object.fromEntries(requests) as Quantities };
}

function checkLimits(limits: ResourceLimits, { metadata, template }: PodTemplate): void {
  const most = template.spec.containers.find(({ name }) => name === CODE)?.resources?.limits;
  for (const [option, asked, amount] of [
    ['memoryBytes', mebibytes(limits.memoryBytes), most?.['memory']],
    ['cpus', processors(limits.cpus), most?.['cpu']],
  ] as const) {
    if (amount === undefined || !exceeds(asked, amount)) continue;
    throw new PtcError(
      'SANDBOX_START_FAILED',
      `The template ${metadata.name} allows a sandbox ${amount}, and limits.${option} asks for ${asked}. Ask for less, or raise it in the template.`,
      { details: { option: `limits.${option}`, most: amount } },
    );
  }
}

function exceeds(amount: string, limit: string): boolean {
  return (readQuantity(amount) ?? 0) > (readQuantity(limit) ?? 0);
}

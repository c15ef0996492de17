import type { RunnerFiles } from './runner-files.ts';
import { mebibytes, processors } from './quantities.ts';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';
import type { Container, PodSpec, Volume } from './pod-types.ts';

/** The container in which programs run. */
export const CODE = 'code';
/** The container that a host connects to. No program is ever in it. */
export const SIDECAR = 'sidecar';

/** Where the files of the ConfigMap are. */
export const RUNNER_FILES = '/opt/sandboxed-ptc-runner';
/** Where those of guests are, at the paths that guests need. */
export const GUEST_FILES = '/opt/sandboxed-ptc-guests';
/** Where relays find the sidecar. */
export const RELAYS = '/run/sandboxed-ptc/relays';
/** Where the sidecar finds the session of its pod: empty until one claims it. */
const CLAIM_FILES = '/opt/sandboxed-ptc-claim';
export const SESSION_FILE: string = `${CLAIM_FILES}/session`;

/** Labels of templates, pods and what belongs to them. */
export const LABELS = {
  /** What the host and the pod must agree about: `POD_VERSION`. */
  version: 'sandboxed-ptc.version',
  /** The id of the session. Empty as long as a pod of a pool has none. */
  session: 'sandboxed-ptc.session',
  /** `true` if the sandbox outlives its host. */
  persistent: 'sandboxed-ptc.persistent',
  /** Of pods that were made for a pool: the UID of the template. */
  pool: 'sandboxed-ptc.pool',
  /** Of the same pods: what they are like. See `shapeOf`. */
  shape: 'sandboxed-ptc.shape',
  /** `true` for a pod that no NetworkPolicy of sandboxes selects. It has no session, and runs no program. */
  unselected: 'sandboxed-ptc.unselected',
  /** All objects of this package. */
  app: 'app.kubernetes.io/name',
} as const;
export const APP = 'sandboxed-ptc';

/** Annotations of pods. `epoch` and `limits` are only those of pods that outlive their host. */
export const ANNOTATIONS = {
  /** The host that has the pod, as `encodeOwner` writes it. The id is that of its Lease. */
  owner: 'sandboxed-ptc.owner',
  /** Of pods of agent-sandbox: the name of the SandboxClaim. */
  claim: 'sandboxed-ptc.claim',
  /** How many hosts have had the pod, or `ended`. See `persistent/epoch.ts`. */
  epoch: 'sandboxed-ptc.epoch',
  /** The limits of the sandbox, as JSON. */
  limits: 'sandboxed-ptc.limits',
} as const;

/**
 * The version of what a host and a pod say to each other: frames, packets, and the arguments of
 * both containers. A host uses only templates of its own version. Raise it with each change that
 * an older pod or host would not understand.
 */
export const POD_VERSION = '3';

/** What a container may do. The user is added for each pod. */
export const CONTAINER_SECURITY: Readonly<Record<string, unknown>> = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** What a pod may do. */
export const POD_SECURITY: Readonly<Record<string, unknown>> = {
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** A field of a pod that is part of a wall. */
export type PodSetting =
  | 'automountServiceAccountToken'
  | 'dnsPolicy'
  | 'enableServiceLinks'
  | 'restartPolicy'
  | 'securityContext'
  | 'terminationGracePeriodSeconds';

/** What a pod must say. */
export const POD_SETTINGS: Readonly<Record<PodSetting, unknown>> = {
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 0,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  dnsPolicy: 'None',
  securityContext: POD_SECURITY,
};

/**
 * Directories of each node that tell about it, or of which programs could take what the node has
 * little of, such as pseudo-terminals. An empty volume is in their place. Container runtimes refuse
 * volumes in `/proc`.
 */
const HIDDEN_DIRECTORIES: readonly string[] = [
  '/dev/mqueue',
  '/dev/pts',
  '/sys/block',
  '/sys/bus',
  '/sys/class',
  '/sys/dev',
  '/sys/devices',
  '/sys/kernel',
  '/sys/module',
];

/** The only variable of a sidecar that a template sets. */
export const NODE_ADDRESS = {
  name: 'NODE_ADDRESS',
  valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } },
} as const;

/** Of which volumes, and where each container has them. */
export const MOUNTS: Readonly<Record<'code' | 'sidecar', readonly object[]>> = {
  code: [
    { name: 'runner', mountPath: RUNNER_FILES, readOnly: true },
    { name: 'guests', mountPath: GUEST_FILES, readOnly: true },
    { name: 'temporary', mountPath: '/tmp' },
    { name: 'shared-memory', mountPath: '/dev/shm' },
    ...HIDDEN_DIRECTORIES.map((mountPath) => ({ name: 'nothing', mountPath, readOnly: true })),
  ],
  sidecar: [
    { name: 'runner', mountPath: RUNNER_FILES, readOnly: true },
    { name: 'relays', mountPath: '/run/sandboxed-ptc' },
    { name: 'claim', mountPath: CLAIM_FILES, readOnly: true },
  ],
};

/** The sidecar keeps up to 1 MiB in each direction. */
export const SIDECAR_LIMITS: Pick<ResourceLimits, 'memoryBytes' | 'cpus'> = {
  memoryBytes: 64 * 1024 * 1024,
  cpus: 0.5,
};
/**
 * How many processors each container gets of a node if others need them. They share what the pod gets, so programs lose nothing
 * by the sidecar's part as long as it has nothing to do. But it must answer its host within seconds, whatever the programs do.
 */
const REQUESTED_CPUS = { [SIDECAR]: 0.05, [CODE]: 0.06 } as const;
/** A node that is silent for so long has lost its sandboxes. By default, it would be 5 minutes. */
const SILENCE_SECONDS = 10;

/** What is decided for each installation. */
export interface TemplateOptions {
  readonly image: string;
  readonly files: RunnerFiles;
  /** The most that a sandbox may use. */
  readonly limits: ResourceLimits;
}

/** The name of the ConfigMap with the runner. */
export function runnerMapName({ hash }: RunnerFiles): string {
  return `sandboxed-ptc-runner-${hash}`;
}

/** The pod of a template. A host adds what differs from sandbox to sandbox. */
export function templateSpec({ image, files, limits }: TemplateOptions): PodSpec {
  const command = ['python3', '-I', '-S', '-B', '-c', files.bootstrap, RUNNER_FILES];
  const memory = mebibytes(limits.memoryBytes);
  const container = (name: typeof CODE | typeof SIDECAR): Container => ({
    name,
    image,
    command,
    workingDir: '/',
    securityContext: CONTAINER_SECURITY,
    volumeMounts: MOUNTS[name],
  });
  return {
    ...POD_SETTINGS,
    // Something must be named, and nothing answers there.
    dnsConfig: { nameservers: ['127.0.0.1'] },
    tolerations: ['not-ready', 'unreachable'].map((state) => ({
      key: `node.kubernetes.io/${state}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: SILENCE_SECONDS,
    })),
    containers: [
      {
        ...container(SIDECAR),
        env: [NODE_ADDRESS],
        resources: {
          requests: { memory: '32Mi', cpu: processors(REQUESTED_CPUS[SIDECAR]) },
          limits: {
            memory: mebibytes(SIDECAR_LIMITS.memoryBytes),
            cpu: processors(SIDECAR_LIMITS.cpus),
          },
        },
      },
      {
        ...container(CODE),
        workingDir: '/tmp',
        resources: {
          // The API server refuses a request above the limit.
          requests: { memory, cpu: processors(Math.min(REQUESTED_CPUS[CODE], limits.cpus)) },
          limits: { memory, cpu: processors(limits.cpus) },
        },
      },
    ],
    volumes: volumes(files, limits),
  };
}

function volumes(files: RunnerFiles, limits: ResourceLimits): readonly Volume[] {
  const name = runnerMapName(files);
  const items = files.guestPaths.map(([key, path]) => ({ key, path }));
  // Guests start some of them.
  const defaultMode = 0o555;
  return [
    { name: 'runner', configMap: { name } },
    { name: 'guests', configMap: { name, items, defaultMode } },
    { name: 'relays', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    { name: 'nothing', emptyDir: { medium: 'Memory', sizeLimit: '4Ki' } },
    {
      name: 'claim',
      downwardAPI: {
        items: [
          { path: 'session', fieldRef: { fieldPath: `metadata.labels['${LABELS.session}']` } },
        ],
      },
    },
    ...temporaryVolumes(limits),
  ];
}

/** Shared memory gets one part in so many of the temporary storage, as in containers. */
const SHARED_MEMORY_PART = 8;

/** The writable volumes of programs. */
export function temporaryVolumes({
  temporaryStorageBytes,
}: Pick<ResourceLimits, 'temporaryStorageBytes'>): readonly Volume[] {
  const shared = Math.max(1, Math.floor(temporaryStorageBytes / SHARED_MEMORY_PART));
  const sizes = { temporary: temporaryStorageBytes - shared, 'shared-memory': shared };
  return Object.entries(sizes).map(([name, bytes]) => ({
    name,
    emptyDir: { medium: 'Memory', sizeLimit: String(bytes) },
  }));
}

import { isDeepStrictEqual } from 'node:util';
import type { ProtectionName } from '../../../sandbox/protection.ts';
import type { Container, Metadata, PodSpec } from './pod-types.ts';
import {
  CODE,
  CONTAINER_SECURITY,
  MOUNTS,
  NODE_ADDRESS,
  POD_SECURITY,
  POD_SETTINGS,
  type PodSetting,
  SIDECAR,
} from './pod-template.ts';

/** Something in a pod that weakens a wall. */
export interface Weakness {
  readonly wall: ProtectionName;
  /** A clause, such as `hostNetwork is true`. */
  readonly what: string;
}

/** Fields of a pod that change no wall: where it runs, and what of a machine it needs. */
const PLACING: ReadonlySet<string> = new Set([
  'activeDeadlineSeconds',
  'affinity',
  'dnsConfig',
  'hostUsers',
  'imagePullSecrets',
  'nodeName',
  'nodeSelector',
  'os',
  'overhead',
  'preemptionPolicy',
  'priority',
  'priorityClassName',
  'runtimeClassName',
  'schedulerName',
  // Which account it is does not matter: its token is not mounted.
  'serviceAccount',
  'serviceAccountName',
  'tolerations',
  'topologySpreadConstraints',
]);
const CONTAINER_FIELDS: ReadonlySet<string> = new Set([
  ...['name', 'image', 'imagePullPolicy', 'command', 'args', 'env', 'resources', 'workingDir'],
  ...['securityContext', 'volumeMounts', 'terminationMessagePath', 'terminationMessagePolicy'],
]);
/** The volumes, and the fields of each that say what it is. */
const VOLUMES: Readonly<Record<string, 'configMap' | 'downwardAPI' | 'emptyDir'>> = {
  runner: 'configMap',
  guests: 'configMap',
  relays: 'emptyDir',
  nothing: 'emptyDir',
  claim: 'downwardAPI',
  temporary: 'emptyDir',
  'shared-memory': 'emptyDir',
};

/** Annotations that weaken a wall. They are read by software that does not belong to Kubernetes. */
const WEAKENING_ANNOTATIONS: ReadonlyMap<string, ProtectionName> = new Map([
  // Other networks, which no NetworkPolicy covers and the sidecar does not try.
  ['k8s.v1.cni.cncf.io/networks', 'network'],
  ['v1.multus-cni.io/default-network', 'network'],
  ['io.kubernetes.cri-o.Devices', 'devices'],
]);
/** Before the name of a container, in versions of Kubernetes without a field for it. */
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

/**
 * What in the pod of a template, or in one that the API server has made, is weaker than in those of
 * this package. Whatever this version does not know is refused: it might weaken something.
 */
export function weaknessesOf(spec: PodSpec): readonly Weakness[] {
  return [
    ...settingsOf(spec),
    ...containersOf(spec),
    ...volumesOf(spec),
    ...spec.containers.flatMap(containerWeaknesses),
  ];
}

/** What the annotations of a template's pod, or of one that the API server has made, weaken. */
export function annotationWeaknesses(
  annotations: Metadata['annotations'] = {},
): readonly Weakness[] {
  return Object.entries(annotations).flatMap(([name, value]) => {
    const isUnconfined = name.startsWith(APPARMOR) && value === 'unconfined';
    const wall = isUnconfined ? 'permissions' : WEAKENING_ANNOTATIONS.get(name);
    return wall === undefined ? [] : [{ wall, what: `the annotation ${name} is ${show(value)}` }];
  });
}

/**
 * What in the containers of a pod is not what a host asked for. Images may differ: clusters that keep copies of
 * images name these instead.
 */
export function changesOf(actual: PodSpec, asked: PodSpec): readonly Weakness[] {
  return asked.containers.flatMap(({ name, command, args, env = [] }) => {
    const found = actual.containers.find((one) => one.name === name);
    const place = `the container ${name}`;
    const changes: Weakness[] = [];
    if (!isDeepStrictEqual([found?.command, found?.args], [command, args])) {
      changes.push({ wall: 'command', what: `${place} does not run what the host asked for` });
    }
    // The environment of the other container is the same in all pods.
    if (name === CODE && !isDeepStrictEqual(found?.env, env)) {
      const variables = `${namesOf(found?.env)}, not as the host asked for (${namesOf(env)})`;
      changes.push({ wall: 'environment', what: `${place} has the variables ${variables}` });
    }
    return changes;
  });
}

const WALLS_OF_SETTINGS: Readonly<Record<PodSetting, ProtectionName>> = {
  restartPolicy: 'removal',
  terminationGracePeriodSeconds: 'removal',
  automountServiceAccountToken: 'environment',
  enableServiceLinks: 'environment',
  dnsPolicy: 'network',
  securityContext: 'user',
};

function settingsOf(spec: PodSpec): Weakness[] {
  const known = Object.entries(POD_SETTINGS).flatMap(([field, expected]) => {
    const actual = spec[field];
    const holds =
      field === 'securityContext'
        ? isDeepStrictEqual(withoutUser(actual), POD_SECURITY)
        : actual === expected;
    const wall = WALLS_OF_SETTINGS[field as PodSetting];
    return holds ? [] : [differs(wall, field, actual, expected)];
  });
  const others = Object.entries(spec).flatMap(([field, value]) => {
    const isKnown = field in POD_SETTINGS || field === 'containers' || field === 'volumes';
    // The API leaves out what is false.
    if (isKnown || PLACING.has(field) || value === false) return [];
    return [{ wall: 'namespaces', what: `${field} is ${show(value)}` } as const];
  });
  return [...known, ...others];
}

function containersOf({ containers }: PodSpec): Weakness[] {
  const names = containers.map(({ name }) => name).sort();
  if (isDeepStrictEqual(names, [CODE, SIDECAR])) return [];
  const what = `the containers are ${names.join(', ')}, not ${CODE} and ${SIDECAR}`;
  return [{ wall: 'namespaces', what }];
}

function volumesOf({ volumes = [] }: PodSpec): Weakness[] {
  const strange = volumes.flatMap((volume) => {
    const { name, ...sources } = volume;
    const source = VOLUMES[name];
    const kinds = Object.keys(sources);
    const inMemory = source !== 'emptyDir' || volume.emptyDir?.medium === 'Memory';
    if (source !== undefined && kinds.length === 1 && kinds[0] === source && inMemory) return [];
    return [{ wall: 'host directories', what: `the volume ${name} is ${show(sources)}` } as const];
  });
  const missing = Object.keys(VOLUMES).filter((name) => !volumes.some((one) => one.name === name));
  return [
    ...strange,
    ...missing.map(
      (name) => ({ wall: 'temporary files', what: `there is no volume ${name}` }) as const,
    ),
  ];
}

function containerWeaknesses(container: Container): Weakness[] {
  const { name, securityContext, env = [] } = container;
  if (name !== CODE && name !== SIDECAR) return [];
  const found: Weakness[] = [];
  const place = `the container ${name}`;
  if (!isDeepStrictEqual(withoutUser(securityContext), CONTAINER_SECURITY)) {
    found.push(
      differs('capabilities', `securityContext of ${place}`, securityContext, CONTAINER_SECURITY),
    );
  }
  if (!isDeepStrictEqual(container['volumeMounts'], MOUNTS[name])) {
    found.push(
      differs(
        'host directories',
        `volumeMounts of ${place}`,
        container['volumeMounts'],
        MOUNTS[name],
      ),
    );
  }
  if (name === SIDECAR && !isNodeAddress(env)) {
    const variables = `${namesOf(env)}, not only NODE_ADDRESS from status.hostIP`;
    // By its variables, it knows what must not be reached.
    found.push({ wall: 'network', what: `${place} has the variables ${variables}` });
  }
  for (const variable of name === CODE ? env.filter((one) => 'valueFrom' in one) : []) {
    found.push({ wall: 'environment', what: `${variable.name} of ${place} comes from elsewhere` });
  }
  for (const field of Object.keys(container)) {
    if (CONTAINER_FIELDS.has(field)) continue;
    found.push({ wall: 'namespaces', what: `${place} has ${field}: ${show(container[field])}` });
  }
  return found;
}

/** The API server adds a version to the reference. */
function isNodeAddress(env: Container['env']): boolean {
  const { fieldRef } = NODE_ADDRESS.valueFrom;
  const withVersion = {
    ...NODE_ADDRESS,
    valueFrom: { fieldRef: { ...fieldRef, apiVersion: 'v1' } },
  };
  return [NODE_ADDRESS, withVersion].some((one) => isDeepStrictEqual(env, [one]));
}

/** Without values, which may be secrets. */
function namesOf(env: Container['env'] = []): string {
  return env.map(({ name }) => name).join(', ') || 'none';
}

const USERS: ReadonlySet<string> = new Set(['runAsUser', 'runAsGroup']);

/** A host chooses the user of each pod. Root is refused by `runAsNonRoot`. */
function withoutUser(context: unknown): unknown {
  if (typeof context !== 'object' || context === null) return context;
  const fields = Object.entries(context).filter(([name]) => !USERS.has(name));
  return Object.fromEntries(fields);
}

function differs(
  wall: ProtectionName,
  field: string,
  actual: unknown,
  expected: unknown,
): Weakness {
  return { wall, what: `${field} is ${show(actual)}, not ${show(expected)}` };
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? 'not set';
}

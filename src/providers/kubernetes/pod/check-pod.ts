import { isDeepStrictEqual } from 'node:util';
import type { ProtectionName } from '../../../sandbox/protection.ts';
import type { Container, PodSpec } from './pod-types.ts';
import {
  CODE,
  CONTAINER_SECURITY,
  MOUNTS,
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
  const given = env.filter((one) => 'valueFrom' in one && one.name !== 'NODE_ADDRESS');
  for (const { name: variable } of given) {
    found.push({ wall: 'environment', what: `${variable} of ${place} comes from elsewhere` });
  }
  for (const field of Object.keys(container)) {
    if (CONTAINER_FIELDS.has(field)) continue;
    found.push({ wall: 'namespaces', what: `${place} has ${field}: ${show(container[field])}` });
  }
  return found;
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

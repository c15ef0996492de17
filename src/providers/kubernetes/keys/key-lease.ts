import { createHash } from 'node:crypto';
import { isRecord } from '../../../shared/guards.ts';

/** A label of it says which hosts have or want a key: each host watches for its own. */
export const HOST_LABEL = 'host.sandboxed-ptc';
/** A label of the Leases of hosts. */
export const HOST_LEASE_LABEL = 'sandboxed-ptc.host';
const HOLDER = 'sandboxed-ptc/holder';
const ADVERTISED = 'sandboxed-ptc/advertised';
const REQUEST = 'request.sandboxed-ptc';

const LONGEST_ADVERTISED = 500;
/** What others write is not read if it is longer than what a host writes. */
const LONGEST_REQUEST = 8192;

/** The part of a process that has or wants a key. Two executors of one process are two claims. */
export interface Claim {
  /** `<host>.<number>`, which no other claim ever has. */
  readonly id: string;
  /** The id of the Lease of its host. */
  readonly hostUid: string;
  readonly advertise: string | undefined;
}

/** What the holder answered. */
export type Answer = 'none' | 'in use' | 'soon';

/** A claim that waits for a key. */
export interface KeyRequest extends Claim {
  /** When it began, in milliseconds since the epoch by the clock of its host. */
  readonly atMs: number;
  readonly answer: Answer;
}

/** A key, as its Lease says. */
export interface KeyLease {
  readonly name: string;
  readonly version: string;
  /** The id of the claim that has it. */
  readonly holder: string;
  readonly advertised: string | undefined;
  /** In their order. */
  readonly requests: readonly KeyRequest[];
}

/** One change of an object, and what must be true for it (RFC 6902). */
export type Patch = readonly {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}[];

/** Names of objects are short and have few characters, whatever the id is. */
export function keyLeaseName(id: string): string {
  return `sandboxed-ptc-key-${createHash('sha256').update(id).digest('hex').slice(0, 40)}`;
}

export function hostLeaseName(host: string): string {
  return `sandboxed-ptc-host-${host}`;
}

/** The host of a claim. */
export function hostOf(claimId: string): string {
  return claimId.replace(/\..*/, '');
}

/** The Lease with which a claim takes a key that nobody has. */
export function newKeyLease(name: string, claim: Claim): unknown {
  return { metadata: { name, ...heldBy(claim) }, spec: {} };
}

/** Takes a key from its holder, which is dead. Whoever waits for it asks anew. */
export function takePatch(lease: KeyLease, claim: Claim): Patch {
  const { labels, annotations, ownerReferences } = heldBy(claim);
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: lease.version },
    { op: 'replace', path: '/metadata/labels', value: labels },
    { op: 'replace', path: '/metadata/annotations', value: annotations },
    { op: 'replace', path: '/metadata/ownerReferences', value: ownerReferences },
  ];
}

/** Gives a key to a claim that waits for it. The others keep waiting. */
export function givePatch(lease: KeyLease, next: KeyRequest): Patch {
  const mine = hostOf(lease.holder);
  const hosts = [next, ...lease.requests].map(({ id }) => hostOf(id));
  const { annotations, ownerReferences } = heldBy(next);
  const others = lease.requests.filter(({ id }) => id !== next.id);
  const waiting = others.map((other) => [`${REQUEST}/${other.id}`, textOf(other)] as const);
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: lease.version },
    { op: 'test', path: annotationPath(HOLDER), value: lease.holder },
    ...(hosts.includes(mine) ? [] : [{ op: 'remove', path: labelPath(mine) } as const]),
    {
      op: 'replace',
      path: '/metadata/annotations',
      value: { ...annotations, ...Object.fromEntries(waiting) },
    },
    { op: 'replace', path: '/metadata/ownerReferences', value: ownerReferences },
  ];
}

/** Asks the holder for a key. */
export function requestPatch(lease: KeyLease, request: KeyRequest): Patch {
  return [
    { op: 'test', path: annotationPath(HOLDER), value: lease.holder },
    { op: 'add', path: labelPath(hostOf(request.id)), value: '' },
    { op: 'add', path: annotationPath(`${REQUEST}/${request.id}`), value: textOf(request) },
  ];
}

/** Answers a claim that still waits. */
export function answerPatch(request: KeyRequest, answer: Answer): Patch {
  const path = annotationPath(`${REQUEST}/${request.id}`);
  return [
    { op: 'test', path, value: textOf(request) },
    { op: 'replace', path, value: textOf({ ...request, answer }) },
  ];
}

/** Takes the request of a claim back. */
export function withdrawPatch({ id }: Pick<Claim, 'id'>): Patch {
  return [{ op: 'remove', path: annotationPath(`${REQUEST}/${id}`) }];
}

/** Undefined if it is not the Lease of a key that a host made. */
export function readKeyLease(object: unknown): KeyLease | undefined {
  const metadata = recordIn(object, 'metadata');
  const annotations = recordIn(metadata, 'annotations');
  const { name, resourceVersion: version } = metadata;
  const { [HOLDER]: holder, [ADVERTISED]: advertised } = annotations;
  if (typeof name !== 'string' || typeof version !== 'string' || typeof holder !== 'string') {
    return undefined;
  }
  const requests = Object.entries(annotations)
    .flatMap(([key, text]) => requestIn(key, text) ?? [])
    .toSorted((one, other) => one.atMs - other.atMs);
  const bounded = typeof advertised === 'string' && advertised.length <= LONGEST_ADVERTISED;
  return { name, version, holder, advertised: bounded ? advertised : undefined, requests };
}

function heldBy({ id, hostUid, advertise }: Claim): {
  readonly labels: object;
  readonly annotations: object;
  readonly ownerReferences: readonly object[];
} {
  const host = hostOf(id);
  const owner = { kind: 'Lease', name: hostLeaseName(host), uid: hostUid };
  return {
    labels: { [`${HOST_LABEL}/${host}`]: '' },
    annotations: {
      [HOLDER]: id,
      ...(advertise !== undefined && { [ADVERTISED]: advertise }),
    },
    // The cluster removes it when the Lease of its host is removed.
    ownerReferences: [{ apiVersion: 'coordination.k8s.io/v1', ...owner }],
  };
}

function textOf({ hostUid, advertise, atMs, answer }: KeyRequest): string {
  return JSON.stringify({ hostUid, advertise, atMs, answer });
}

function requestIn(key: string, text: unknown): KeyRequest | undefined {
  if (!key.startsWith(`${REQUEST}/`) || typeof text !== 'string') return undefined;
  if (text.length > LONGEST_REQUEST) return undefined;
  try {
    const { hostUid, advertise, atMs, answer } = JSON.parse(text) as Partial<KeyRequest>;
    if (typeof hostUid !== 'string' || typeof atMs !== 'number') return undefined;
    const id = key.slice(REQUEST.length + 1);
    const said = answer === 'in use' || answer === 'soon' ? answer : 'none';
    return {
      id,
      hostUid,
      atMs,
      answer: said,
      advertise: typeof advertise === 'string' ? advertise : undefined,
    };
  } catch {
    return undefined;
  }
}

function recordIn(object: unknown, name: string): Record<string, unknown> {
  const value = isRecord(object) ? object[name] : undefined;
  return isRecord(value) ? value : {};
}

function annotationPath(name: string): string {
  return `/metadata/annotations/${name.replace('/', '~1')}`;
}

function labelPath(host: string): string {
  return `/metadata/labels/${HOST_LABEL}~1${host}`;
}

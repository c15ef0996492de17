import type { Patch } from '../../../../src/providers/kubernetes/keys/key-lease.ts';
import type { LeaseRequest } from './lease-server.ts';

/** As the API server has it. */
export interface Lease {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

/** Why the API server refuses. */
export type Refusal = 'AlreadyExists' | 'Conflict' | 'Invalid' | 'NotFound';

type Listener = (type: 'ADDED' | 'MODIFIED' | 'DELETED', lease: Lease) => void;

/** Leases, and what the API server does with them. */
export class LeaseStore {
  version = 1;
  readonly #leases: Map<string, Lease> = new Map();
  readonly #listeners: Set<Listener> = new Set();

  get names(): readonly string[] {
    return [...this.#leases.keys()];
  }

  get all(): readonly Lease[] {
    return [...this.#leases.values()];
  }

  /** @returns a function that ends this. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Does what a request asks for. @returns the Lease as it then is, or was last. */
  do({ method, name, body }: LeaseRequest): Lease | Refusal {
    const lease = this.#leases.get(name);
    if (method === 'POST') {
      if (lease !== undefined) return 'AlreadyExists';
      const { metadata, spec } = body as Lease;
      const uid = `uid-${this.version}`;
      return this.#put('ADDED', name, { metadata: { ...metadata, uid }, spec });
    }
    if (lease === undefined) return 'NotFound';
    if (method === 'PATCH') {
      const patched = structuredClone(lease);
      if (!(body as Patch).every((change) => apply(patched, change))) return 'Invalid';
      return this.#put('MODIFIED', name, patched);
    }
    if (method === 'DELETE') {
      const { preconditions } = body as { preconditions: { resourceVersion?: string } };
      const { resourceVersion = lease.metadata.resourceVersion } = preconditions;
      if (resourceVersion !== lease.metadata.resourceVersion) return 'Conflict';
      this.#leases.delete(name);
      this.#tell('DELETED', lease);
    }
    return lease;
  }

  #put(type: 'ADDED' | 'MODIFIED', name: string, { metadata, spec }: Lease): Lease {
    this.version += 1;
    const resourceVersion = String(this.version);
    const lease = { metadata: { ...metadata, resourceVersion }, spec };
    this.#leases.set(name, lease);
    this.#tell(type, lease);
    return lease;
  }

  #tell(type: Parameters<Listener>[0], lease: Lease): void {
    for (const listener of [...this.#listeners]) listener(type, lease);
  }
}

/** Changes an object (RFC 6902). @returns whether that can be done. */
function apply(object: object, { op, path, value }: Patch[number]): boolean {
  const keys = path.slice(1).split('/');
  const last = (keys.pop() ?? '').replaceAll('~1', '/');
  const parent = keys.reduce<Record<string, unknown> | undefined>(
    (at, key) => at?.[key] as Record<string, unknown> | undefined,
    object as Record<string, unknown>,
  );
  if (parent === undefined || (op !== 'add' && !(last in parent))) return false;
  if (op === 'test') return parent[last] === value;
  if (op === 'remove') return delete parent[last];
  parent[last] = value;
  return true;
}

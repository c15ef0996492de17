import { inBackground } from '../../../shared/async/background.ts';
import { PtcError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/guards.ts';
import { ApiError } from '../cluster/api-error.ts';
import type { ApiRequest, Cluster } from '../cluster/cluster.ts';
import { eventsOf, type WatchEvent } from '../cluster/follow.ts';
import type { Patch } from './key-lease.ts';

/**
 * How long a host that leaves something waits for the answer. A process that ends has little time, and
 * what the Lease of its host owns is removed without it.
 */
export const LEAVE_MS = 5000;

const REQUEST_TIMEOUT = 408;

/** Requests about the Leases of a namespace. All throw PtcError `SANDBOX_UNAVAILABLE` or `ApiError`. */
export class Leases {
  readonly #cluster: Cluster;
  readonly #path: string;

  constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  }

  /** @returns undefined if there is none. */
  async get(name: string): Promise<unknown> {
    const path = `${this.#path}/${name}`;
    return unless(['NotFound'], this.#cluster.send({ method: 'GET', path }));
  }

  /** @returns undefined if there is one of this name already. */
  async create(body: unknown): Promise<unknown> {
    return this.#create({ body });
  }

  /**
   * As `create`, for a Lease that `renew` renews. Both use one connection: if that is cut in silence, the next renewal
   * fails, and shows that other connections were cut too.
   */
  async createToRenew(body: unknown): Promise<unknown> {
    return this.#create({ body, urgent: true });
  }

  async #create(how: Pick<ApiRequest, 'body' | 'urgent'>): Promise<unknown> {
    const path = this.#path;
    return unless(['AlreadyExists'], this.#cluster.send({ method: 'POST', path, ...how }));
  }

  /** @returns undefined if what it tests is not true, or there is no such Lease. */
  async patch(name: string, body: Patch): Promise<unknown> {
    return this.#patch(name, { body });
  }

  /**
   * As `patch`, for a Lease that others take for that of a dead host if it stays as it is.
   * @param staleMs - After which time they do.
   */
  async renew(name: string, body: Patch, staleMs: number): Promise<unknown> {
    // A connection that was cut in silence is given up while there is time for another one.
    const signal = AbortSignal.timeout(Math.ceil(staleMs / 4));
    return this.#patch(name, { body, signal, urgent: true });
  }

  async #patch(
    name: string,
    how: Pick<ApiRequest, 'body' | 'signal' | 'urgent'>,
  ): Promise<unknown> {
    const path = `${this.#path}/${name}`;
    // A test that fails makes a patch invalid.
    const reasons = ['Conflict', 'Invalid', 'NotFound'];
    return unless(reasons, this.#cluster.send({ method: 'PATCH', path, ...how }));
  }

  /**
   * @param resourceVersion - Undefined if the Lease may have any version.
   * @returns undefined if the Lease has another version, or there is none.
   */
  async remove(
    name: string,
    resourceVersion: string | undefined,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const path = `${this.#path}/${name}`;
    const body = { preconditions: { resourceVersion } };
    const removal = this.#cluster.send({ method: 'DELETE', path, body, signal });
    return unless(['Conflict', 'NotFound'], removal);
  }

  /** The Leases that have a label, and the version from which `changes` go on. */
  async list(
    label: string,
    signal: AbortSignal,
  ): Promise<{ readonly items: unknown[]; readonly version: string }> {
    const query = new URLSearchParams({ labelSelector: label });
    const path = `${this.#path}?${query.toString()}`;
    const list = await this.#cluster.send({ method: 'GET', path, signal });
    const { items, metadata } = isRecord(list) ? list : {};
    const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
    return { items: Array.isArray(items) ? items : [], version: String(version) };
  }

  /** What changes of the Leases that have a label, as `eventsOf`. */
  changes(label: string, version: string, signal: AbortSignal): AsyncGenerator<WatchEvent, void> {
    const followed = { list: this.#path, select: { labelSelector: label } };
    return eventsOf(this.#cluster, followed, version, signal);
  }
}

/**
 * Lets work go on that nothing waits for. If the API server is lost meanwhile, nothing more is done:
 * when it is back, the watch tells again how each key is.
 */
export function unlessLost(work: Promise<unknown>): void {
  inBackground(
    work.catch((error: unknown) => {
      if (!isLoss(error)) throw error;
    }),
  );
}

/**
 * Whether a request that failed may have been done all the same. Whoever says with a status from 400 to
 * 499 that the request is wrong, or too many (429), has not done it, and has not passed it on. Only 408 may
 * come from a proxy that passed it on and waited in vain. With other statuses, the API server may say that its
 * storage did not answer in time, and a proxy that the API server did not.
 */
export function mayBeDone(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  const { status } = error;
  return status < 400 || status >= 500 || status === REQUEST_TIMEOUT;
}

/** Whether the API server did not answer. */
function isLoss(error: unknown): boolean {
  return PtcError.isInstance(error) && error.code === 'SANDBOX_UNAVAILABLE';
}

/** Undefined if the API server refuses for one of these reasons. */
async function unless(reasons: readonly string[], answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && reasons.includes(error.reason ?? '')) return undefined;
    throw error;
  }
}

/** The version of an object. Undefined if there is no object. */
export function versionOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

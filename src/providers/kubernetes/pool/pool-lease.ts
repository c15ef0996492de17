import { untilAborted } from '../../../shared/async/abort.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { isRecord } from '../../../shared/guards.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { follow } from '../cluster/follow.ts';
import type { LeaseTimes } from '../keys/host-lease.ts';
import { LEAVE_MS, Leases } from '../keys/leases.ts';
import type { Metadata } from '../pod/pod-types.ts';

/** Annotations of the Lease: one for each host that claims pods of the pool. */
const MEMBER = 'member.sandboxed-ptc/';
/** A host that was killed stays a member until another keeps the pool. */
const MOST_MEMBERS = 100;

/** The Lease as it was seen last. */
interface SeenLease {
  readonly version: string;
  readonly holder: unknown;
  readonly renewTime: unknown;
  /** The hosts that claim pods, in an order that all know. */
  readonly members: readonly string[];
}

/** Which part of the pods a host takes first. */
export interface Share {
  /** From 0. */
  readonly index: number;
  /** How many hosts share the pods. */
  readonly count: number;
}

export interface PoolLeaseOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** The template of the pool, which the Lease belongs to: the cluster removes both together. */
  readonly template: Pick<Metadata, 'name' | 'uid'>;
  /** The id of this host, which no other host ever has. */
  readonly host: string;
  readonly times: LeaseTimes;
  /** This host keeps the pool from now on. */
  readonly onHeld: () => void;
  /** Another host may keep it. */
  readonly onLost: () => void;
}

/** The name of the Lease of a pool. */
function poolLeaseName(uid: string): string {
  return `sandboxed-ptc-pool-${uid}`;
}

/**
 * Decides which host keeps a pool: the one that has the Lease. The others follow it, which costs no
 * requests. A host whose Lease they see unrenewed for long enough, by their own monotonic clock and
 * without a loss of the API server, is dead. The Lease also names the hosts that claim pods, so that
 * each takes others first.
 */
export class PoolLease {
  readonly #options: PoolLeaseOptions;
  readonly #name: string;
  readonly #leases: Leases;
  readonly #closing = new AbortController();
  /** Undefined if there is none. */
  #seen: SeenLease | undefined;
  #isHeld = false;
  #isJoining = false;
  #renewedAt = 0;
  /** Renews the Lease of this host, or takes that of a dead one. */
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PoolLeaseOptions) {
    this.#options = options;
    this.#name = poolLeaseName(options.template.uid);
    this.#leases = new Leases(options.cluster, options.namespace);
    inBackground(this.#follow());
  }

  /** Which pods this host takes first. All, as long as it does not know the others. */
  get share(): Share {
    const { members = [] } = this.#seen ?? {};
    const index = members.indexOf(this.#options.host);
    return index < 0 ? { index: 0, count: 1 } : { index, count: members.length };
  }

  /** Leaves the pool to another host, at once if the API server answers. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    clearTimeout(this.#timer);
    const wasHeld = this.#isHeld;
    if (wasHeld) this.#lose();
    const path = memberPath(this.#options.host);
    const left = wasHeld
      ? this.#leave(this.#seen)
      : this.#leases.patch(this.#name, [{ op: 'remove', path }]);
    const settled = left.catch(() => {});
    await untilAborted(settled, AbortSignal.timeout(LEAVE_MS));
  }

  /** Removes the Lease as long as this host has it: another may join meanwhile, or a renewal arrive. */
  async #leave(lease: SeenLease | undefined): Promise<void> {
    for (let held = lease; held?.holder === this.#options.host;) {
      if ((await this.#leases.remove(this.#name, held.version)) !== undefined) return;
      held = readLease(await this.#leases.get(this.#name));
    }
  }

  async #follow(): Promise<void> {
    const { cluster, namespace } = this.#options;
    const list = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const select = { fieldSelector: `metadata.name=${this.#name}` };
    const { signal } = this.#closing;
    for await (const seen of follow(cluster, { list, select }, signal)) {
      if (seen.type === 'all') this.#see(readLease(seen.objects[0]));
      else if (seen.type === 'changed') this.#see(readLease(seen.object));
      else if (seen.type === 'gone') this.#see(undefined);
      // No host could renew it meanwhile.
      else if (!this.#isHeld) this.#wait();
    }
  }

  #see(lease: SeenLease | undefined): void {
    const before = this.#seen;
    const { host } = this.#options;
    // Of the version, the answers to its own requests are newer.
    if (this.#isHeld && before !== undefined && lease?.holder === host) {
      this.#seen = { ...before, members: lease.members };
      return;
    }
    this.#seen = lease;
    if (lease === undefined) {
      if (this.#isHeld) this.#lose();
      inBackground(this.#take(undefined));
    } else if (lease.holder !== host) {
      if (this.#isHeld) this.#lose();
      if (!lease.members.includes(host)) inBackground(this.#join(lease));
      // That another host has joined does not show that its holder lives.
      const isSame = lease.holder === before?.holder && lease.renewTime === before?.renewTime;
      if (!isSame || this.#timer === undefined) this.#wait();
    }
  }

  async #join({ members }: SeenLease): Promise<void> {
    if (this.#isJoining || members.length >= MOST_MEMBERS) return;
    this.#isJoining = true;
    const path = memberPath(this.#options.host);
    // If that fails, the next renewal shows that this host is missing.
    await this.#leases.patch(this.#name, [{ op: 'add', path, value: '' }]).catch(() => {});
    this.#isJoining = false;
  }

  /** Takes the Lease when it has not changed for long enough. */
  #wait(): void {
    clearTimeout(this.#timer);
    const take = (): void => inBackground(this.#take(this.#seen));
    this.#timer = setTimeout(take, this.#options.times.staleMs).unref();
  }

  async #take(lease: SeenLease | undefined): Promise<void> {
    const spec = this.#spec();
    const { template, host } = this.#options;
    const owner = { apiVersion: 'v1', kind: 'PodTemplate', name: template.name, uid: template.uid };
    const self = memberPath(host);
    const annotations = { [MEMBER + host]: '' };
    const metadata = { name: this.#name, annotations, ownerReferences: [owner] };
    const took =
      lease === undefined
        ? this.#leases.createToRenew({ metadata, spec })
        : this.#leases.patch(this.#name, [
            { op: 'test', path: '/metadata/resourceVersion', value: lease.version },
            { op: 'replace', path: '/spec', value: spec },
            // Those that live join again.
            ...lease.members.map((member) => ({ op: 'remove', path: memberPath(member) }) as const),
            { op: 'add', path: self, value: '' },
          ]);
    const taken = readLease(await took.catch(() => undefined));
    if (this.#closing.signal.aborted) {
      // It would keep others waiting.
      return this.#leave(taken).catch(() => {});
    }
    if (this.#isHeld) return;
    // Another was first, or the API server is not there.
    if (taken === undefined) return this.#wait();
    this.#seen = taken;
    this.#isHeld = true;
    this.#renewedAt = performance.now();
    this.#renewLater();
    this.#options.onHeld();
  }

  #renewLater(): void {
    clearTimeout(this.#timer);
    const renew = (): void => inBackground(this.#renew());
    this.#timer = setTimeout(renew, this.#options.times.renewMs).unref();
  }

  async #renew(): Promise<void> {
    const { times, host } = this.#options;
    const sentAt = performance.now();
    const patch = [
      { op: 'test', path: '/spec/holderIdentity', value: host },
      { op: 'replace', path: '/spec/renewTime', value: this.#spec().renewTime },
    ] as const;
    const renewed = this.#leases.renew(this.#name, patch, times.staleMs);
    const answer = await renewed.then(readLease, () => 'none' as const);
    if (!this.#isHeld) return;
    if (typeof answer === 'object') {
      this.#seen = answer;
      this.#renewedAt = sentAt;
      return this.#renewLater();
    }
    // Unless the API server refused, this host may still have it, as far as others can know.
    if (answer === 'none' && performance.now() - this.#renewedAt < times.staleMs) {
      return this.#renewLater();
    }
    this.#lose();
    this.#wait();
  }

  #lose(): void {
    this.#isHeld = false;
    clearTimeout(this.#timer);
    this.#options.onLost();
  }

  #spec(): { readonly holderIdentity: string; readonly renewTime: string } {
    // As the API server writes the times of Leases.
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    return { holderIdentity: this.#options.host, renewTime };
  }
}

function memberPath(host: string): string {
  return `/metadata/annotations/${MEMBER.replace('/', '~1')}${host}`;
}

function readLease(object: unknown): SeenLease | undefined {
  const { metadata, spec } = isRecord(object) ? object : {};
  const { resourceVersion: version, annotations } = isRecord(metadata) ? metadata : {};
  if (typeof version !== 'string') return undefined;
  const { holderIdentity: holder, renewTime } = isRecord(spec) ? spec : {};
  const members = Object.keys(isRecord(annotations) ? annotations : {})
    .filter((name) => name.startsWith(MEMBER))
    .map((name) => name.slice(MEMBER.length))
    .toSorted();
  return { version, holder, renewTime, members };
}

import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import type {
  HeldKey,
  HoldKeyOptions,
  KeyHolder,
  KeyState,
  SessionKeys,
  WaitForKeyOptions,
} from '../../../sandbox/keys/keys.ts';
import { encodeOwner } from '../../../sandbox/ownership/owner.ts';
import { untilAborted } from '../../../shared/async/abort.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { AbandonedClaims, type Traces, withdraw } from './abandoned-claims.ts';
import { HeldLease } from './held-lease.ts';
import { HOST_TIMES, HostLease, type LeaseTimes } from './host-lease.ts';
import { type HostStates, lookAtHosts } from './hosts.ts';
import { HostObserver } from './host-observer.ts';
import {
  type Claim,
  HOST_LABEL,
  hostLeaseName,
  hostOf,
  type KeyLease,
  keyLeaseName,
  newKeyLease,
  readKeyLease,
  requestPatch,
  takePatch,
} from './key-lease.ts';
import { KeyWait, type KeyWaitEnd } from './key-wait.ts';
import { LeaseWatch, type NotedLease } from './lease-watch.ts';
import { LEAVE_MS, Leases, mayBeDone, unlessLost, versionOf } from './leases.ts';

/** A key that was given to this host is kept for this long until it is held. */
const GIVEN_MS = 10_000;

/** A key that this host has, and that no session holds yet. */
interface GivenKey {
  readonly lease: KeyLease;
  readonly noted: NotedLease;
  readonly timer: NodeJS.Timeout;
}

/**
 * Keys of sessions as Leases of a namespace, which all hosts of a cluster share. A Lease that exists
 * is a key that a claim has; it is not renewed. Only the Lease of a host is, and says that the host
 * lives.
 */
export class LeaseKeys implements SessionKeys {
  readonly #leases: Leases;
  readonly #times: LeaseTimes;
  readonly #observer: HostObserver;
  readonly #host: HostLease;
  readonly #watch: LeaseWatch;
  /** By the names of their Leases. */
  readonly #given: Map<string, GivenKey> = new Map();
  /** The keys that sessions of this host have, by the names of their Leases. */
  readonly #sessions: Map<string, HeldLease> = new Map();
  readonly #abandoned: AbandonedClaims;
  readonly #closing = new AbortController();
  #claims = 0;

  constructor(cluster: Cluster, namespace: string, times: LeaseTimes = HOST_TIMES) {
    this.#times = times;
    this.#leases = new Leases(cluster, namespace);
    this.#observer = new HostObserver(times.staleMs);
    const onLoss = (): void => this.#observer.lost();
    this.#host = new HostLease(this.#leases, times, () => {
      onLoss();
      // Keys of this host may have been taken meanwhile.
      this.#watch.restart();
    });
    this.#watch = new LeaseWatch({
      leases: this.#leases,
      label: `${HOST_LABEL}/${this.#host.id}`,
      longestPauseMs: times.renewMs,
      onLoss,
    });
    const { signal: closing } = this.#closing;
    // Each claim and each key that is left later listens to it.
    setMaxListeners(0, closing);
    this.#abandoned = new AbandonedClaims({
      leases: this.#leases,
      retryMs: times.renewMs,
      closing,
      leave: async (lease) => this.#held(lease, () => true).release(),
    });
  }

  async stateOf(id: string): Promise<KeyState> {
    const name = keyLeaseName(id);
    if (this.#given.has(name)) return 'left';
    return (await this.#leases.get(name)) === undefined ? 'free' : 'held';
  }

  async hold(id: string, { onAsked, advertise }: HoldKeyOptions): Promise<HeldKey | undefined> {
    const name = keyLeaseName(id);
    const given = this.#takeGiven(name);
    if (given !== undefined) return this.#held(given, onAsked);
    const claim = await this.#claim(advertise);
    const noted = this.#watch.note(name);
    try {
      const lease = readKeyLease(await this.#leases.create(newKeyLease(name, claim)));
      return lease && this.#held(noted.latest(lease), onAsked);
    } catch (error) {
      if (mayBeDone(error)) this.#abandoned.add(name, claim);
      throw error;
    } finally {
      noted.stop();
    }
  }

  async waitUntilFree(
    id: string,
    { patience, signal, advertise }: WaitForKeyOptions,
  ): Promise<KeyHolder | undefined> {
    const name = keyLeaseName(id);
    const lease = await this.#read(name);
    signal.throwIfAborted();
    if (lease === undefined) return undefined;
    const holder = { advertised: lease.advertised };
    if (performance.now() >= patience.answerDeadline) return holder;
    const claim = await this.#claim(advertise);
    const traces: Traces = { looks: new Set(), isAsked: false };
    const noted = this.#watch.note(name);
    try {
      const taken = await this.#takeFromDead(lease, claim);
      const end = taken ?? (await this.#ask(lease, claim, { patience, signal, traces }));
      if (typeof end === 'object') this.#keep(noted.latest(end));
      return end === 'late' ? holder : undefined;
    } catch (error) {
      if (traces.isAsked || mayBeDone(error)) this.#abandoned.add(name, claim, traces.looks);
      throw error;
    } finally {
      noted.stop();
    }
  }

  /**
   * Whether a session of this host has a key, and the API server says the same. Undefined if none
   * has it.
   */
  async isHolder(id: string): Promise<boolean | undefined> {
    return this.#sessions.get(keyLeaseName(id))?.isHeld();
  }

  /** The id of this host, which has a Lease from now on. @throws what `Leases.create` throws. */
  async hostId(): Promise<string> {
    await this.#host.uid();
    return this.#host.id;
  }

  /** This host, as pods name it. It has a Lease from now on. @throws what `hostId` throws. */
  async owner(): Promise<string> {
    const id = await this.hostId();
    return encodeOwner({ machine: hostname(), processId: process.pid, id });
  }

  /** As `lookAtHosts`. */
  async hosts(signal: AbortSignal): Promise<HostStates> {
    return lookAtHosts(this.#leases, this.#observer, this.#host.id, signal);
  }

  /** How often to look at hosts: each that lives changes its Lease meanwhile. */
  get lookMs(): number {
    return this.#times.renewMs;
  }

  /**
   * Call this when no session has a key any more. If the API server does not answer soon, what is left
   * belongs to the Lease of this host, which others take for dead.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#watch.close();
    const late = AbortSignal.timeout(LEAVE_MS);
    const left = [...this.#given.keys()].map(async (name) => this.#leaveGiven(name));
    await untilAborted(Promise.all(left), late);
    await this.#host.close(late);
  }

  /** Asks the holder for a key, and waits for what comes of it. @throws the signal's reason. */
  async #ask(
    lease: KeyLease,
    claim: Claim,
    { patience, signal, traces }: WaitForKeyOptions & { readonly traces: Traces },
  ): Promise<KeyWaitEnd> {
    const { name } = lease;
    const wait = new KeyWait(claim.id, patience, signal);
    const { looks } = traces;
    const look = (): void => {
      if (!traces.isAsked) return;
      const next = this.#look(name, claim, wait).finally(() => looks.delete(next));
      looks.add(next);
      unlessLost(next);
    };
    const checks = setInterval(look, this.#times.renewMs);
    const ignore = this.#watch.listen(name, { changed: (seen) => wait.see(seen), gone: look });
    let end: KeyWaitEnd;
    try {
      const request = { ...claim, atMs: Date.now(), answer: 'none' } as const;
      const asked = await this.#leases.patch(name, requestPatch(lease, request));
      traces.isAsked = asked !== undefined;
      // The key has another holder now, or none.
      if (!traces.isAsked) return 'gone';
      end = await wait.end;
    } finally {
      wait.stop();
      clearInterval(checks);
      ignore();
    }
    if (typeof end === 'object') return end;
    await Promise.allSettled(looks);
    return (await withdraw(this.#leases, name, claim)) ?? end;
  }

  /** Looks at a key that a claim waits for, and takes it if its holder is dead. */
  async #look(name: string, claim: Claim, wait: KeyWait): Promise<void> {
    const lease = await this.#read(name);
    if (lease !== undefined && lease.holder !== claim.id) {
      const taken = await this.#takeFromDead(lease, claim);
      // The watch may have told of it before this answer: a session may hold the key already.
      if (taken !== undefined) return wait.see(taken);
    }
    // Whoever took it from a dead holder does not know who waits.
    if (lease?.holder === claim.id || lease?.requests.some(({ id }) => id === claim.id) === true)
      wait.see(lease);
    else wait.lose();
  }

  /** @returns the Lease as it then is. Undefined if the holder may live, or the key has changed. */
  async #takeFromDead(lease: KeyLease, claim: Claim): Promise<KeyLease | undefined> {
    const host = hostOf(lease.holder);
    if (host === this.#host.id) return undefined;
    const name = hostLeaseName(host);
    const version = versionOf(await this.#leases.get(name));
    if (!this.#observer.isDead(host, version)) return undefined;
    const taken = readKeyLease(await this.#leases.patch(lease.name, takePatch(lease, claim)));
    if (taken === undefined) return undefined;
    // The cluster then removes the other keys of the host.
    if (version !== undefined) unlessLost(this.#leases.remove(name, version));
    return taken;
  }

  #keep(lease: KeyLease): void {
    const { name } = lease;
    this.#takeGiven(name);
    const timer = setTimeout(() => unlessLost(this.#leaveGiven(name)), GIVEN_MS).unref();
    this.#given.set(name, { lease, noted: this.#watch.note(name), timer });
  }

  #takeGiven(name: string): KeyLease | undefined {
    const given = this.#given.get(name);
    if (given === undefined) return undefined;
    clearTimeout(given.timer);
    given.noted.stop();
    this.#given.delete(name);
    return given.noted.latest(given.lease);
  }

  async #leaveGiven(name: string): Promise<void> {
    const lease = this.#takeGiven(name);
    if (lease !== undefined) await this.#held(lease, () => true).release();
  }

  async #read(name: string): Promise<KeyLease | undefined> {
    return readKeyLease(await this.#leases.get(name));
  }

  #held(lease: KeyLease, onAsked: () => boolean): HeldKey {
    const { name } = lease;
    const held: HeldLease = new HeldLease(lease, {
      leases: this.#leases,
      watch: this.#watch,
      longestPauseMs: this.#times.renewMs,
      closing: this.#closing.signal,
      onAsked,
      onReleased: () => {
        if (this.#sessions.get(name) === held) this.#sessions.delete(name);
      },
    });
    this.#sessions.set(name, held);
    held.lost.addEventListener('abort', () => this.#host.doubt(), { once: true });
    return held;
  }

  async #claim(advertise: string | undefined): Promise<Claim> {
    const hostUid = await this.#host.uid();
    return { id: `${this.#host.id}.${++this.#claims}`, hostUid, advertise };
  }
}

/** What was last seen of the Lease of a host. The times are on the monotonic clock. */
interface Sight {
  /** Undefined if there was none. */
  readonly version: string | undefined;
  /** Since when it is so. */
  readonly since: number;
  /** When it was looked at last. */
  readonly lookedAt: number;
}

/** `unsure`: this process has not watched it for long enough. */
export type HostState = 'alive' | 'unsure' | 'dead';

/** Hosts come and go. Whoever still asks about one looks at it more often than this. */
const KEPT_MS = 10 * 60_000;

/**
 * Decides which hosts are dead: those whose Lease this process saw unchanged for long enough, by its
 * own monotonic clock. The clocks of hosts and of the API server do not matter.
 */
export class HostObserver {
  readonly #staleMs: number;
  readonly #now: () => number;
  readonly #seen: Map<string, Sight> = new Map();
  #lastLoss = -Infinity;

  constructor(staleMs: number, now: () => number = () => performance.now()) {
    this.#staleMs = staleMs;
    this.#now = now;
  }

  /** The API server did not answer. Then no host could renew its Lease, so the time counts anew. */
  lost(): void {
    this.#lastLoss = this.#now();
  }

  /** Whether a host is dead. @param version - That of its Lease now. Undefined if there is none. */
  isDead(host: string, version: string | undefined): boolean {
    return this.judge(host, version) === 'dead';
  }

  /** What is known of a host. @param version - That of its Lease now. Undefined if there is none. */
  judge(host: string, version: string | undefined): HostState {
    const now = this.#now();
    const known = this.#seen.get(host);
    const isUnchanged = known === undefined || known.version === version;
    const since = isUnchanged ? (known?.since ?? now) : now;
    // In the order in which they were looked at.
    this.#seen.delete(host);
    this.#seen.set(host, { version, since, lookedAt: now });
    for (const [seen, { lookedAt }] of this.#seen) {
      if (lookedAt > now - KEPT_MS) break;
      this.#seen.delete(seen);
    }
    if (now - Math.max(since, this.#lastLoss) >= this.#staleMs) return 'dead';
    return isUnchanged ? 'unsure' : 'alive';
  }
}

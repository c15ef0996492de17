import { inBackground } from '../../../shared/async/background.ts';
import { Pauses } from '../cluster/pauses.ts';
import { type KeyLease, readKeyLease } from './key-lease.ts';
import type { Leases } from './leases.ts';

/** Gets what happens to the Lease of one key. */
export interface LeaseListener {
  changed(lease: KeyLease): void;
  /** It may be gone. */
  gone(): void;
}

/** What was seen of the Lease of a key that this host is about to have. */
export interface NotedLease {
  /** The Lease as it was seen last, if it has the same holder as this one. */
  latest(lease: KeyLease): KeyLease;
  stop(): void;
}

export interface LeaseWatchOptions {
  readonly leases: Leases;
  /** Of the Leases. */
  readonly label: string;
  /** The longest pause while the API server is lost. */
  readonly longestPauseMs: number;
  /** Called if the API server is lost. */
  readonly onLoss: () => void;
}

/** One watch for all keys that a host has or waits for. It goes on after each loss of the API server. */
export class LeaseWatch {
  readonly #options: LeaseWatchOptions;
  readonly #listeners: Map<string, Set<LeaseListener>> = new Map();
  #following: AbortController = new AbortController();
  #isRunning = false;
  readonly #closing = new AbortController();

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
  }

  /** @returns a function that ends this. */
  listen(name: string, listener: LeaseListener): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    if (!this.#isRunning) inBackground(this.#run());
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) {
        this.#listeners.delete(name);
      }
    };
  }

  /**
   * Notes what happens to a key until `stop` is called. Others may ask for it before this host knows that
   * it has the key.
   */
  note(name: string): NotedLease {
    let last: KeyLease | undefined;
    const changed = (lease: KeyLease): void => void (last = lease);
    const stop = this.listen(name, { changed, gone: () => undefined });
    return { latest: (lease) => (last?.holder === lease.holder ? last : lease), stop };
  }

  /**
   * Reads again how each key is, on a new connection. One that was cut in silence looks like one on
   * which nothing happens.
   */
  restart(): void {
    this.#following.abort();
  }

  close(): void {
    this.#closing.abort();
    this.#following.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { longestPauseMs, onLoss } = this.#options;
    const { signal } = this.#closing;
    const pauses = new Pauses(longestPauseMs);
    while (!signal.aborted) {
      this.#following = new AbortController();
      try {
        await this.#follow(this.#following.signal);
      } catch {
        // What is wrong now, such as a server that starts or a right that is missing, may be mended.
      }
      if (signal.aborted) return;
      onLoss();
      await pauses.wait(signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { leases: all, label } = this.#options;
    const known = [...this.#listeners];
    const { items, version } = await all.list(label, signal);
    const leases = items.flatMap((item) => readKeyLease(item) ?? []);
    for (const lease of leases) this.#tellChange(lease);
    const names = new Set(leases.map(({ name }) => name));
    for (const [name, listeners] of known) if (!names.has(name)) tellGone(listeners);
    for await (const { type, object } of all.changes(label, version, signal)) {
      const lease = readKeyLease(object);
      if (lease === undefined) continue;
      if (type === 'DELETED') tellGone(this.#listeners.get(lease.name));
      else this.#tellChange(lease);
    }
  }

  #tellChange(lease: KeyLease): void {
    for (const listener of [...(this.#listeners.get(lease.name) ?? [])]) listener.changed(lease);
  }
}

function tellGone(listeners: ReadonlySet<LeaseListener> | undefined): void {
  for (const listener of [...(listeners ?? [])]) listener.gone();
}

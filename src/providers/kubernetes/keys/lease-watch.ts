import { setTimeout as delay } from 'node:timers/promises';
import { inBackground } from '../../../shared/async/background.ts';
import { type KeyLease, readKeyLease } from './key-lease.ts';
import type { Leases } from './leases.ts';

const PAUSE_MS = 250;

/** Gets what happens to the Lease of one key. */
export interface LeaseListener {
  changed(lease: KeyLease): void;
  /** It may be gone. */
  gone(): void;
}

/** One watch for all keys that a host has or waits for. It goes on after each loss of the API server. */
export class LeaseWatch {
  readonly #leases: Leases;
  readonly #label: string;
  readonly #onLoss: () => void;
  readonly #listeners: Map<string, Set<LeaseListener>> = new Map();
  #following: AbortController = new AbortController();
  #isRunning = false;
  #isClosed = false;

  /** @param onLoss - Called if the API server is lost. */
  constructor(leases: Leases, label: string, onLoss: () => void) {
    this.#leases = leases;
    this.#label = label;
    this.#onLoss = onLoss;
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
   * Reads again how each key is, on a new connection. One that was cut in silence looks like one on
   * which nothing happens.
   */
  restart(): void {
    this.#following.abort();
  }

  close(): void {
    this.#isClosed = true;
    this.#following.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (!this.#isClosed) {
      this.#following = new AbortController();
      try {
        await this.#follow(this.#following.signal);
      } catch {
        // What is wrong now, such as a server that starts or a right that is missing, may be mended.
      }
      if (this.#isClosed) return;
      this.#onLoss();
      await delay(PAUSE_MS, undefined, { ref: false });
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const known = [...this.#listeners];
    const { items, version } = await this.#leases.list(this.#label, signal);
    const leases = items.flatMap((item) => readKeyLease(item) ?? []);
    for (const lease of leases) this.#tellChange(lease);
    const names = new Set(leases.map(({ name }) => name));
    for (const [name, listeners] of known) if (!names.has(name)) tellGone(listeners);
    for await (const { type, object } of this.#leases.changes(this.#label, version, signal)) {
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

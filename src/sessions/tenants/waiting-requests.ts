import type { Group } from '../../shared/async/fair-queue.ts';

/** Limits how many requests of each tenant wait. */
export class WaitingRequests {
  readonly #limit: number;
  /** Tenants without waiting requests are not in it. */
  readonly #counts: Map<Group, number> = new Map();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many tenants it knows. */
  get size(): number {
    return this.#counts.size;
  }

  /**
   * Counts a request until the returned function is called, which can be called more than once.
   * Returns undefined if the tenant may have no more.
   */
  enter(tenant: Group): (() => void) | undefined {
    const count = this.#counts.get(tenant) ?? 0;
    if (count >= this.#limit) return undefined;
    this.#counts.set(tenant, count + 1);
    let isWaiting = true;
    return () => {
      if (!isWaiting) return;
      isWaiting = false;
      const left = (this.#counts.get(tenant) ?? 1) - 1;
      if (left > 0) this.#counts.set(tenant, left);
      else this.#counts.delete(tenant);
    };
  }
}

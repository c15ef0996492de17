import type { Group } from '../../shared/async/fair-queue.ts';

const MINUTE_MS = 60_000;

/** Limits how many programs each tenant begins within any 60 seconds. */
export class ProgramRate {
  readonly #limit: number;
  /**
   * When each tenant began programs in the last minute, oldest first. The tenant that began one
   * least recently is the first.
   */
  readonly #times: Map<Group, number[]> = new Map();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many tenants it knows. */
  get size(): number {
    return this.#times.size;
  }

  /**
   * Counts a program and returns undefined if the tenant may begin it. Otherwise, returns after how
   * many milliseconds it may.
   */
  begin(tenant: Group): number | undefined {
    const now = performance.now();
    this.#forgetIdle(now - MINUTE_MS);
    const times = this.#times.get(tenant) ?? [];
    while (times[0] !== undefined && times[0] <= now - MINUTE_MS) times.shift();
    const [oldest] = times;
    if (oldest !== undefined && times.length >= this.#limit) {
      return Math.max(1, Math.ceil(oldest + MINUTE_MS - now));
    }
    times.push(now);
    this.#times.delete(tenant);
    this.#times.set(tenant, times);
    return undefined;
  }

  #forgetIdle(since: number): void {
    for (const [tenant, times] of this.#times) {
      if ((times.at(-1) ?? since) > since) return;
      this.#times.delete(tenant);
    }
  }
}

import type { Group } from '../../shared/async/fair-queue.ts';

/** How long the programs of a tenant run unchecked after a check that had to be ended. */
const UNCHECKED_MS = 60_000;

/** Whose program is checked. */
export interface Asker {
  readonly tenant: Group;
  /** The number of the session. */
  readonly session: number;
}

/**
 * Whose programs are not checked for a minute, because the check of one of them had to be ended.
 * Others would wait for each such check, and for the compiler that is started anew after it.
 */
export class UncheckedAskers {
  /** By tenant, or without tenants by session. Each check that is added took time of its own. */
  readonly #until: Map<string | number, number> = new Map();

  add({ tenant, session }: Asker): void {
    const now = performance.now();
    for (const [asker, until] of this.#until) if (until <= now) this.#until.delete(asker);
    this.#until.set(tenant ?? session, now + UNCHECKED_MS);
  }

  has({ tenant, session }: Asker): boolean {
    return (this.#until.get(tenant ?? session) ?? 0) > performance.now();
  }
}

import type { Group } from '../../shared/async/fair-queue.ts';
import { Semaphore } from '../../shared/async/semaphore.ts';

/** What a program of a tenant needs in order to run. Each `take` needs a `release`. */
export interface ProgramPlace {
  /** As `Semaphore.take`. */
  readonly take: (signal: AbortSignal) => Promise<boolean> | undefined;
  readonly release: () => void;
}

/** Limits how many programs of each tenant run at a time. */
export class ProgramPlaces {
  readonly #count: number;
  /** Of the tenants that have programs which run or wait. */
  readonly #semaphores: Map<Group, Semaphore> = new Map();

  constructor(count: number) {
    this.#count = count;
  }

  /** How many tenants it knows. */
  get size(): number {
    return this.#semaphores.size;
  }

  of(tenant: Group): ProgramPlace {
    return {
      take: (signal) => this.#semaphoreOf(tenant).take(signal),
      release: () => {
        const semaphore = this.#semaphoreOf(tenant);
        semaphore.release();
        if (semaphore.load === 0) this.#semaphores.delete(tenant);
      },
    };
  }

  #semaphoreOf(tenant: Group): Semaphore {
    const known = this.#semaphores.get(tenant);
    if (known !== undefined) return known;
    const semaphore = new Semaphore(this.#count);
    this.#semaphores.set(tenant, semaphore);
    return semaphore;
  }
}

import type { Group } from '../../shared/async/fair-queue.ts';
import { type ProgramPlace, ProgramPlaces } from './program-places.ts';
import { ProgramRate } from './program-rate.ts';
import { DEFAULT_WAITING_REQUESTS, quotaError, type TenantQuotas } from './tenants.ts';
import { WaitingRequests } from './waiting-requests.ts';

/** The quotas for requests and programs of an executor's tenants. */
export class ProgramQuotas {
  readonly #fairBy: string | undefined;
  readonly #quotas: TenantQuotas;
  readonly #rate: ProgramRate | undefined;
  readonly #places: ProgramPlaces | undefined;
  readonly #waiting: WaitingRequests | undefined;

  /** @param fairBy - The label whose values are the tenants. @default there are no quotas */
  constructor(fairBy: string | undefined, quotas: TenantQuotas = {}) {
    const { programsPerMinute, concurrentPrograms } = quotas;
    this.#fairBy = fairBy;
    this.#quotas = quotas;
    if (programsPerMinute !== undefined) this.#rate = new ProgramRate(programsPerMinute);
    if (concurrentPrograms !== undefined) this.#places = new ProgramPlaces(concurrentPrograms);
    if (fairBy !== undefined) this.#waiting = new WaitingRequests(this.#waitingLimit);
  }

  /**
   * Counts a request of a tenant until the returned function is called, which can be called more
   * than once. @throws PtcError `QUOTA_EXCEEDED` if it may not wait.
   */
  enter(tenant: Group): () => void {
    if (this.#fairBy === undefined || this.#waiting === undefined) return () => {};
    const leave = this.#waiting.enter(tenant);
    if (leave !== undefined) return leave;
    const limit = this.#waitingLimit;
    throw quotaError({
      label: this.#fairBy,
      tenant,
      quota: 'waitingRequests',
      limit,
      what: `has as many waiting requests as its quota, ${limit} (quotas.waitingRequests)`,
      advice: 'Try again when some of them have begun, or raise the quota.',
    });
  }

  /** Counts a program of a tenant. @throws PtcError `QUOTA_EXCEEDED` if it may not begin. */
  begin(tenant: Group): void {
    const { programsPerMinute: limit } = this.#quotas;
    if (this.#fairBy === undefined || limit === undefined) return;
    const retryAfterMs = this.#rate?.begin(tenant);
    if (retryAfterMs === undefined) return;
    throw quotaError({
      label: this.#fairBy,
      tenant,
      quota: 'programsPerMinute',
      limit,
      what: `began as many programs in the last minute as its quota, ${limit} (quotas.programsPerMinute)`,
      advice: `Try again in ${retryAfterMs} ms, or raise the quota.`,
      retryAfterMs,
    });
  }

  get #waitingLimit(): number {
    return this.#quotas.waitingRequests ?? DEFAULT_WAITING_REQUESTS;
  }

  /** What a program of a tenant needs in order to run; undefined if any number may run. */
  place(tenant: Group): ProgramPlace | undefined {
    return this.#places?.of(tenant);
  }
}

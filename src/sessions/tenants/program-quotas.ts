import type { Group } from '../../shared/async/fair-queue.ts';
import { type ProgramPlace, ProgramPlaces } from './program-places.ts';
import { ProgramRate } from './program-rate.ts';
import { quotaError, type TenantQuotas } from './tenants.ts';

/** The quotas for programs of an executor's tenants. */
export class ProgramQuotas {
  readonly #fairBy: string | undefined;
  readonly #quotas: TenantQuotas;
  readonly #rate: ProgramRate | undefined;
  readonly #places: ProgramPlaces | undefined;

  /** @param fairBy - The label whose values are the tenants. @default there are no quotas */
  constructor(fairBy: string | undefined, quotas: TenantQuotas = {}) {
    const { programsPerMinute, concurrentPrograms } = quotas;
    this.#fairBy = fairBy;
    this.#quotas = quotas;
    if (programsPerMinute !== undefined) this.#rate = new ProgramRate(programsPerMinute);
    if (concurrentPrograms !== undefined) this.#places = new ProgramPlaces(concurrentPrograms);
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

  /** What a program of a tenant needs in order to run; undefined if any number may run. */
  place(tenant: Group): ProgramPlace | undefined {
    return this.#places?.of(tenant);
  }
}

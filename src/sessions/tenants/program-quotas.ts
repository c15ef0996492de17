import type { AuditSink } from '../../audit/entry.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import type { Labels } from '../../shared/labels.ts';
import { type ProgramPlace, ProgramPlaces } from './program-places.ts';
import { ProgramRate } from './program-rate.ts';
import { recordQuotaRefusal } from './quota-audit.ts';
import { DEFAULT_WAITING_REQUESTS, quotaError, tenantOf, type TenantQuotas } from './tenants.ts';
import { WaitingRequests } from './waiting-requests.ts';

export interface ProgramQuotasOptions {
  /** The label whose values are the tenants. @default no quotas */
  readonly fairBy?: string | undefined;
  readonly quotas?: TenantQuotas | undefined;
  /** Gets an entry for each refusal. @default none are made */
  readonly audit?: AuditSink | undefined;
}

/** A request for a session, or for the run of a program. */
export interface CountedRequest {
  readonly labels: Labels;
  /** The session, if it is open. */
  readonly sessionId: string | undefined;
  /** Ends the wait for room in the audit log. */
  readonly signal: AbortSignal | undefined;
}

/** The quotas for requests and programs of an executor's tenants. */
export class ProgramQuotas {
  readonly #options: ProgramQuotasOptions;
  readonly #quotas: TenantQuotas;
  readonly #rate: ProgramRate | undefined;
  readonly #places: ProgramPlaces | undefined;
  readonly #waiting: WaitingRequests | undefined;

  constructor(options: ProgramQuotasOptions) {
    const { fairBy, quotas = {} } = options;
    const { programsPerMinute, concurrentPrograms } = quotas;
    this.#options = options;
    this.#quotas = quotas;
    if (programsPerMinute !== undefined) this.#rate = new ProgramRate(programsPerMinute);
    if (concurrentPrograms !== undefined) this.#places = new ProgramPlaces(concurrentPrograms);
    if (fairBy !== undefined) this.#waiting = new WaitingRequests(this.#waitingLimit);
  }

  /**
   * Counts a request of a tenant, and its program if it is for one.
   * @returns a function to call when the request no longer waits, which can be called more than once.
   * @throws PtcError `QUOTA_EXCEEDED`, which the audit log gets too.
   */
  async count(request: CountedRequest, isForProgram: boolean): Promise<() => void> {
    const tenant = tenantOf(request.labels, this.#options.fairBy);
    let endWait: (() => void) | undefined;
    try {
      endWait = this.#enter(tenant);
      if (isForProgram) this.#begin(tenant);
      return endWait;
    } catch (error) {
      endWait?.();
      const { sessionId, signal: stop } = request;
      await recordQuotaRefusal(error, { audit: this.#options.audit, sessionId, stop });
      throw error;
    }
  }

  /** What a program of a tenant needs in order to run; undefined if any number may run. */
  place(tenant: Group): ProgramPlace | undefined {
    return this.#places?.of(tenant);
  }

  /** @throws PtcError `QUOTA_EXCEEDED` if the tenant may not wait. */
  #enter(tenant: Group): () => void {
    const { fairBy } = this.#options;
    if (fairBy === undefined || this.#waiting === undefined) return () => {};
    const leave = this.#waiting.enter(tenant);
    if (leave !== undefined) return leave;
    const limit = this.#waitingLimit;
    throw quotaError({
      label: fairBy,
      tenant,
      quota: 'waitingRequests',
      limit,
      what: `has as many waiting requests as its quota, ${limit} (quotas.waitingRequests)`,
      advice: 'Try again when some of them have begun, or raise the quota.',
    });
  }

  /** @throws PtcError `QUOTA_EXCEEDED` if the tenant may not begin a program. */
  #begin(tenant: Group): void {
    const { fairBy } = this.#options;
    const { programsPerMinute: limit } = this.#quotas;
    if (fairBy === undefined || limit === undefined) return;
    const retryAfterMs = this.#rate?.begin(tenant);
    if (retryAfterMs === undefined) return;
    throw quotaError({
      label: fairBy,
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
}

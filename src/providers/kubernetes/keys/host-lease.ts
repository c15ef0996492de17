import { randomBytes } from 'node:crypto';
import { untilAborted } from '../../../shared/async/abort.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { PtcError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/guards.ts';
import { HOST_LEASE_LABEL, hostLeaseName } from './key-lease.ts';
import type { Leases } from './leases.ts';

/** How often a host says that it lives, and after which time without that others take its keys. */
export interface LeaseTimes {
  readonly renewMs: number;
  readonly staleMs: number;
}

export const HOST_TIMES: LeaseTimes = { renewMs: 5000, staleMs: 15_000 };

/** Tells other hosts that this one lives, by a Lease that is renewed. */
export class HostLease {
  /** The id of this host, which no other host ever has. */
  readonly id: string = randomBytes(8).toString('hex');
  readonly #leases: Leases;
  readonly #times: LeaseTimes;
  readonly #onLoss: () => void;
  #uid: Promise<string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> | undefined;
  /** Requests that are under way and make the Lease. */
  readonly #makings: Set<Promise<string>> = new Set();
  /** Whether the Lease may exist. */
  #mayExist = false;
  #isClosed = false;

  /** @param onLoss - Called if the API server does not answer, or the Lease is gone. */
  constructor(leases: Leases, times: LeaseTimes, onLoss: () => void) {
    this.#leases = leases;
    this.#times = times;
    this.#onLoss = onLoss;
  }

  /**
   * The id of the Lease, which is made the first time.
   * @throws what `Leases.create` throws, or PtcError `CLOSED`.
   */
  async uid(): Promise<string> {
    this.#throwIfClosed();
    this.#uid ??= this.#make();
    return this.#uid;
  }

  /**
   * Call this if a key was lost: another host may have taken this one for dead and removed the Lease.
   * The cluster removes keys that name a Lease which is gone.
   */
  doubt(): void {
    this.#uid = undefined;
  }

  /**
   * If the API server is not there, other hosts take this one for dead after a while.
   * @param late - Fires when nobody waits for the API server any more.
   */
  async close(late: AbortSignal): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    // They could make the Lease again, after it was removed. Nothing makes it from now on.
    await untilAborted(Promise.allSettled([this.#renewal, ...this.#makings]), late);
    if (!this.#mayExist || late.aborted) return;
    this.#mayExist = false;
    await this.#leases.remove(this.#name, undefined, late).catch(() => {});
  }

  get #name(): string {
    return hostLeaseName(this.id);
  }

  async #make(): Promise<string> {
    const making = this.#obtain().finally(() => this.#makings.delete(making));
    this.#makings.add(making);
    return making;
  }

  async #obtain(): Promise<string> {
    try {
      this.#mayExist = true;
      const lease = (await this.#create()) ?? (await this.#renewed());
      const uid = isRecord(lease) && isRecord(lease['metadata']) && lease['metadata']['uid'];
      if (typeof uid !== 'string') {
        throw new PtcError(
          'SANDBOX_UNAVAILABLE',
          `The Lease ${this.#name} of this host was removed while it was made. Try again.`,
        );
      }
      // Nobody would end the renewals, and the cluster removes keys that belong to this Lease.
      this.#throwIfClosed();
      this.#timer ??= setInterval(() => this.#renewInTurn(), this.#times.renewMs).unref();
      return uid;
    } catch (error) {
      this.#uid = undefined;
      throw error;
    }
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new PtcError('CLOSED', 'The Kubernetes provider was closed.');
  }

  /** @returns undefined if there is one. */
  async #create(): Promise<unknown> {
    const spec = { holderIdentity: this.id, renewTime: microTime() };
    const labels = { [HOST_LEASE_LABEL]: this.id };
    return this.#leases.createToRenew({ metadata: { name: this.#name, labels }, spec });
  }

  /** @returns undefined if the Lease is gone. */
  async #renewed(): Promise<unknown> {
    const patch = [{ op: 'replace', path: '/spec/renewTime', value: microTime() }] as const;
    return this.#leases.renew(this.#name, patch, this.#times.staleMs);
  }

  #renewInTurn(): void {
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    inBackground(this.#renewal);
  }

  async #renew(): Promise<void> {
    try {
      if ((await this.#renewed()) !== undefined) return;
      this.doubt();
      this.#onLoss();
      await this.uid();
    } catch {
      this.#onLoss();
    }
  }
}

/** As the API server writes the times of Leases. */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}

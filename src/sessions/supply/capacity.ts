import { FairQueue, type Group } from '../../shared/async/fair-queue.ts';
import { onAbort } from '../../shared/async/on-abort.ts';
import { PtcError } from '../../shared/errors.ts';
import { quotaError } from '../tenants/tenants.ts';

/** What happens if a sandbox is needed and `maxSandboxes` sandboxes exist. */
export interface WhenFull {
  /**
   * `wait`: waits until a sandbox is free, first come, first served, or with `fairBy`, each tenant
   * in turn. `reject`: fails at once. `evict`: closes the session that was used least recently among
   * those that nobody uses, with `fairBy` one of the tenant that has most sessions, which is the one
   * that needs room or has more than it; if there is none, waits.
   */
  readonly action: 'wait' | 'reject' | 'evict';
  /** How long to wait before failing with `SANDBOX_LIMIT` or `QUOTA_EXCEEDED`. @default 30000 */
  readonly timeoutMs?: number;
}

/** The right to have one sandbox. */
export interface Permit {
  /** Returns the permit. Can be called more than once. */
  readonly release: () => void;
  /** The sandbox belongs to this tenant from now on. */
  readonly giveTo: (tenant: Group) => void;
}

/** How many sandboxes each tenant may have. */
export interface SandboxQuota {
  /** The label whose values are the tenants. */
  readonly label: string;
  readonly sandboxes: number;
}

/** The owner of the pool's sandboxes. No quota counts them. */
const NOBODY = Symbol('nobody');
type Owner = Group | typeof NOBODY;

/** Who needs room for a sandbox. */
export interface RoomNeed {
  readonly tenant: Group;
  /** How many sandboxes it has, or gets as soon as those that are being closed are gone. */
  readonly has: number;
  /** Whether only the end of a sandbox of this tenant helps: it has reached its quota. */
  readonly onlyOwn: boolean;
}

export interface CapacityOptions {
  /** How many sandboxes may exist at a time. @default any number */
  readonly maxSandboxes?: number | undefined;
  /** @default wait 30 seconds */
  readonly whenFull?: WhenFull | undefined;
  /** @default none */
  readonly quota?: SandboxQuota | undefined;
  /**
   * Closes one sandbox that is not needed, and returns false if there is none. The permit returns
   * when the sandbox is gone, which may be later.
   */
  readonly makeRoom: (need: RoomNeed) => boolean;
  /** Called when a permit becomes free that nothing waits for. */
  readonly onRoom?: () => void;
  /** Called when a caller has to wait, with the number of callers that wait now. */
  readonly onWait?: (waiting: number) => void;
  /** When it has fired, permits that return are not given to callers that wait. @default never */
  readonly closing?: AbortSignal;
}

/**
 * Limits the number of sandboxes, of all and of each tenant. Callers that exceed it wait: the
 * tenants have their turns one after another, and the callers of a tenant in order of arrival.
 */
export class Capacity {
  readonly #maxSandboxes: number;
  readonly #whenFull: WhenFull;
  readonly #quota: SandboxQuota | undefined;
  readonly #makeRoom: CapacityOptions['makeRoom'];
  readonly #onRoom: (() => void) | undefined;
  readonly #onWait: ((waiting: number) => void) | undefined;
  readonly #closing: AbortSignal | undefined;
  /** None of them could have a permit now. */
  readonly #waiters: FairQueue<() => void> = new FairQueue();
  #used = 0;
  /** How many sandboxes each owner has. Owners that have none are not in it. */
  readonly #usedBy: Map<Owner, number> = new Map();
  /** The number of sandboxes that are being closed to make room for waiting callers. */
  #roomsComing = 0;
  /** For how many callers of each tenant they are. Tenants that have none are not in it. */
  readonly #roomsComingFor: Map<Owner, number> = new Map();

  constructor(options: CapacityOptions) {
    this.#maxSandboxes = options.maxSandboxes ?? Number.POSITIVE_INFINITY;
    this.#whenFull = options.whenFull ?? { action: 'wait' };
    this.#quota = options.quota;
    this.#makeRoom = options.makeRoom;
    this.#onRoom = options.onRoom;
    this.#onWait = options.onWait;
    this.#closing = options.closing;
  }

  /** How many callers wait for a permit. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** A permit for a sandbox that no tenant has yet, if one is free that nothing waits for. */
  tryAcquire(): Permit | undefined {
    return this.#used < this.#maxSandboxes ? this.#permit(NOBODY) : undefined;
  }

  /** Whether a tenant may have another sandbox, if there is room for one. */
  isWithinQuota(tenant: Group): boolean {
    const { sandboxes = Number.POSITIVE_INFINITY } = this.#quota ?? {};
    return (this.#usedBy.get(tenant) ?? 0) < sandboxes;
  }

  /**
   * Waits for a permit, as `whenFull` says.
   * @throws PtcError `SANDBOX_LIMIT`, `QUOTA_EXCEEDED`, or the signal's reason if it fires first.
   */
  async acquire(signal: AbortSignal, tenant?: Group): Promise<Permit> {
    signal.throwIfAborted();
    const mayHave = this.isWithinQuota(tenant);
    if (mayHave && this.#used < this.#maxSandboxes) return this.#permit(tenant);
    // The room may have been made for a caller that has given up.
    const isComing =
      this.#comingFor(tenant) > this.#waiters.countOf(tenant) || this.#tryMakeRoom(tenant);
    if (!isComing && this.#whenFull.action === 'reject') throw this.#refusal(tenant);
    return this.#wait(signal, tenant);
  }

  /** Call this when a sandbox may no longer be needed: it may be closed for a waiting caller. */
  reconsider(): void {
    if (this.#waiters.size === 0 || this.#closing?.aborted === true) return;
    if (this.#quota !== undefined) {
      for (const [tenant, waiting] of this.#waiters.groups) {
        if (this.isWithinQuota(tenant)) continue;
        while (waiting > this.#comingFor(tenant) && this.#tryMakeRoom(tenant));
      }
    }
    while (this.#waitingForRoom > this.#roomsComing && this.#tryMakeRoomForAny());
  }

  /** How many of the callers that wait would get a permit if there was room for all. */
  get #waitingForRoom(): number {
    if (this.#quota === undefined) return this.#waiters.size;
    const { sandboxes } = this.#quota;
    const count = ([tenant, waiting]: readonly [Group, number]): number =>
      Math.min(waiting, Math.max(0, sandboxes - (this.#usedBy.get(tenant) ?? 0)));
    return this.#waiters.groups.reduce((sum, group) => sum + count(group), 0);
  }

  /** Makes room for the first of the tenants that wait for whom that is possible. */
  #tryMakeRoomForAny(): boolean {
    return this.#waiters.groups.some(
      ([tenant, waiting]) =>
        this.isWithinQuota(tenant) &&
        waiting > this.#comingFor(tenant) &&
        this.#tryMakeRoom(tenant),
    );
  }

  #comingFor(tenant: Group): number {
    return this.#roomsComingFor.get(tenant) ?? 0;
  }

  #tryMakeRoom(tenant: Group): boolean {
    const onlyOwn = !this.isWithinQuota(tenant);
    const has = (this.#usedBy.get(tenant) ?? 0) + this.#comingFor(tenant);
    // Counted first: the permit may return at once.
    this.#roomsComing += 1;
    add(this.#roomsComingFor, tenant, 1);
    const isComing = this.#makeRoom({ tenant, has, onlyOwn });
    if (!isComing) {
      this.#roomsComing -= 1;
      add(this.#roomsComingFor, tenant, -1);
    }
    return isComing;
  }

  async #wait(signal: AbortSignal, tenant: Group): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        stopListening();
        this.#waiters.delete(take, tenant);
        isWaiting = false;
      };
      const take = (): void => {
        leave();
        if (this.#roomsComingFor.has(tenant)) add(this.#roomsComingFor, tenant, -1);
        resolve(this.#permit(tenant));
      };
      const stopListening = onAbort(signal, () => {
        leave();
        reject(signal.reason as Error);
      });
      const timer = setTimeout(() => {
        leave();
        reject(this.#refusal(tenant));
      }, this.#whenFull.timeoutMs ?? 30_000);
      let isWaiting = true;
      this.#waiters.add(take, tenant);
      this.#serve();
      if (isWaiting) this.#onWait?.(this.#waiters.size);
    });
  }

  #permit(tenant: Owner): Permit {
    let owner: Owner = tenant;
    let held = true;
    this.#used += 1;
    add(this.#usedBy, owner, 1);
    return {
      giveTo: (next) => {
        if (!held) return;
        add(this.#usedBy, owner, -1);
        add(this.#usedBy, next, 1);
        owner = next;
      },
      release: () => {
        if (!held) return;
        held = false;
        this.#used -= 1;
        add(this.#usedBy, owner, -1);
        this.#roomsComing = Math.max(0, this.#roomsComing - 1);
        if (this.#closing?.aborted === true) return;
        this.#serve();
        if (this.#roomsComing === 0) this.#roomsComingFor.clear();
        if (this.#used < this.#maxSandboxes) this.#onRoom?.();
      },
    };
  }

  #serve(): void {
    while (this.#used < this.#maxSandboxes) {
      // First those for whom room was made: it may not have been made for others.
      const take =
        this.#waiters.take((tenant) => this.isWithinQuota(tenant) && this.#comingFor(tenant) > 0) ??
        this.#waiters.take((tenant) => this.isWithinQuota(tenant));
      if (take === undefined) return;
      take();
    }
  }

  #refusal(tenant: Group): PtcError {
    const { action, timeoutMs = 30_000 } = this.#whenFull;
    const waited = action === 'reject' ? '' : `, and none became free within ${timeoutMs} ms`;
    if (this.#quota !== undefined && !this.isWithinQuota(tenant)) {
      const { label, sandboxes: limit } = this.#quota;
      return quotaError({
        label,
        tenant,
        quota: 'sandboxes',
        limit,
        what: `uses all sandboxes of its quota, ${limit} (quotas.sandboxes)${waited}`,
        advice: 'Release or close its sessions, or raise the quota.',
      });
    }
    return new PtcError(
      'SANDBOX_LIMIT',
      `All ${this.#maxSandboxes} sandboxes are in use${waited}. Release or close sessions, or raise maxSandboxes.`,
      { details: { maxSandboxes: this.#maxSandboxes, action } },
    );
  }
}

function add(counts: Map<Owner, number>, owner: Owner, difference: 1 | -1): void {
  const count = (counts.get(owner) ?? 0) + difference;
  if (count > 0) counts.set(owner, count);
  else counts.delete(owner);
}

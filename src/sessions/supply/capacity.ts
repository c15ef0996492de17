import { FairQueue, type Group } from '../../shared/async/fair-queue.ts';
import { onAbort } from '../../shared/async/on-abort.ts';
import type { PtcError } from '../../shared/errors.ts';
import { ProviderRoom } from './provider-room.ts';
import {
  DEFAULT_WHEN_FULL,
  limitRefusal,
  patienceMs,
  quotaRefusal,
  type SandboxQuota,
  type WhenFull,
} from './when-full.ts';

/** The right to have one sandbox. */
export interface Permit {
  /** Returns the permit. Can be called more than once. */
  readonly release: () => void;
  /**
   * Returns the permit, because the provider has no room for the sandbox. Not for a sandbox that was
   * ended: its permit may be what a caller waits for, which only `release` gives away.
   * @param error - What it says.
   */
  readonly refuse: (error: PtcError) => void;
  /** The sandbox belongs to this tenant from now on. */
  readonly giveTo: (tenant: Group) => void;
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
  /**
   * Called when there is room that nothing waits for: a permit became free, or the provider can be
   * tried again.
   */
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
  readonly #providerRoom: ProviderRoom = new ProviderRoom({
    wait: () => this.#waiters.size > 0,
    getRoom: () => this.#roomsComing > 0,
    retry: () => this.#serve(),
    onForgotten: () => this.#tellRoom(),
  });
  /** How many sandboxes each owner has. Owners that have none are not in it. */
  readonly #usedBy: Map<Owner, number> = new Map();
  /** The number of sandboxes that are being closed to make room for waiting callers. */
  #roomsComing = 0;
  /** For how many callers of each tenant they are. Tenants that have none are not in it. */
  readonly #roomsComingFor: Map<Owner, number> = new Map();

  constructor(options: CapacityOptions) {
    this.#maxSandboxes = options.maxSandboxes ?? Number.POSITIVE_INFINITY;
    this.#whenFull = options.whenFull ?? DEFAULT_WHEN_FULL;
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
    return this.#hasRoom ? this.#permit(NOBODY) : undefined;
  }

  /** What the provider said when it had no room, unless there are as many sandboxes as there may be. */
  get providerRefusal(): PtcError | undefined {
    return this.#used < this.#maxSandboxes ? this.#providerRoom.error : undefined;
  }

  /** Whether `acquire` would not wait now. */
  hasRoomFor(tenant: Group): boolean {
    return this.#hasRoom && this.isWithinQuota(tenant);
  }

  /** Whether a tenant may have another sandbox, if there is room for one. */
  isWithinQuota(tenant: Group): boolean {
    const { sandboxes = Number.POSITIVE_INFINITY } = this.#quota ?? {};
    return (this.#usedBy.get(tenant) ?? 0) < sandboxes;
  }

  /**
   * Waits for a permit, as `whenFull` says.
   * @param deadline - Until when to wait, on the monotonic clock. @default as `whenFull` says, from now
   * @throws PtcError `SANDBOX_LIMIT`, `QUOTA_EXCEEDED`, or the signal's reason if it fires before there is room.
   */
  async acquire(signal: AbortSignal, tenant?: Group, deadline?: number): Promise<Permit> {
    // Also if the signal has fired, which ends only a wait.
    if (this.hasRoomFor(tenant)) return this.#permit(tenant);
    signal.throwIfAborted();
    // The room may have been made for a caller that has given up.
    const isComing =
      this.#comingFor(tenant) > this.#waiters.countOf(tenant) || this.#tryMakeRoom(tenant);
    if (!isComing && this.#whenFull.action === 'reject') throw this.#refusal(tenant);
    return this.#wait(signal, tenant, deadline ?? performance.now() + patienceMs(this.#whenFull));
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

  /** Until when a caller waits whose permit the provider refuses now. */
  get refusalDeadline(): number {
    return (
      performance.now() + (this.#whenFull.action === 'reject' ? 0 : patienceMs(this.#whenFull))
    );
  }

  get #hasRoom(): boolean {
    return this.#used < Math.min(this.#maxSandboxes, this.#providerRoom.count);
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

  async #wait(signal: AbortSignal, tenant: Group, deadline: number): Promise<Permit> {
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
      }, deadline - performance.now());
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
      refuse: (error) => {
        if (!held) return;
        held = false;
        this.#used -= 1;
        add(this.#usedBy, owner, -1);
        this.#providerRoom.refuse(this.#used, error);
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
        this.#tellRoom();
      },
    };
  }

  #refusal(tenant: Group): PtcError {
    if (this.#quota !== undefined && !this.isWithinQuota(tenant)) {
      return quotaRefusal(this.#quota, tenant, this.#whenFull);
    }
    return this.providerRefusal ?? limitRefusal(this.#maxSandboxes, this.#whenFull);
  }

  #tellRoom(): void {
    if (this.#hasRoom && this.#closing?.aborted !== true) this.#onRoom?.();
  }

  #serve(): void {
    while (this.#hasRoom) {
      // First those for whom room was made: it may not have been made for others.
      const take =
        this.#waiters.take((tenant) => this.isWithinQuota(tenant) && this.#comingFor(tenant) > 0) ??
        this.#waiters.take((tenant) => this.isWithinQuota(tenant));
      if (take === undefined) return;
      take();
    }
  }
}

function add(counts: Map<Owner, number>, owner: Owner, difference: 1 | -1): void {
  const count = (counts.get(owner) ?? 0) + difference;
  if (count > 0) counts.set(owner, count);
  else counts.delete(owner);
}

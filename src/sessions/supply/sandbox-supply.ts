import { selectProvider } from '../../providers/select-provider.ts';
import type { SessionKeys } from '../../sandbox/keys/keys.ts';
import { MACHINE_KEYS } from '../../sandbox/keys/machine-keys.ts';
import {
  DEFAULT_LIMITS,
  type ResourceLimits,
  type SandboxProvider,
} from '../../sandbox/sandbox.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { given } from '../../shared/given.ts';
import { SharedTask } from '../../shared/async/shared-task.ts';
import { Capacity, type Permit } from './capacity.ts';
import { closedError } from '../executor-errors.ts';
import type { SandboxExecutorOptions } from '../options/executor-options.ts';
import type { ExecutorStats, ExecutorWatch } from '../executor-watch.ts';
import { DEFAULT_LANGUAGES } from '../options/language-choice.ts';
import type { SessionManager } from '../session-manager.ts';
import { recordQuotaRefusal } from '../tenants/quota-audit.ts';
import { checkLanguages, persistenceUnsupported } from './provider-checks.ts';
import { ExpiryWatch } from './expiry-watch.ts';
import { SandboxPool } from './pool.ts';
import type { Room, SandboxNeed } from './room.ts';
import { sandboxSettings } from './sandbox-settings.ts';
import { StartTurns } from './start-turns.ts';
import { type SandboxSettings, StartedSandbox } from './started-sandbox.ts';
import { poolRefusal } from './when-full.ts';

/** Supplies an executor's sandboxes, from the pool or the provider, within its limit. */
export class SandboxSupply {
  /** The limits of each sandbox. */
  readonly limits: ResourceLimits;
  readonly #options: SandboxExecutorOptions;
  readonly #watch: ExecutorWatch;
  readonly #capacity: Capacity;
  readonly #starts: StartTurns;
  /**
   * Done once for all callers. A failed choice is repeated, because an engine may have been started
   * meanwhile.
   */
  readonly #choice = new SharedTask(async (signal) => this.#choose(signal));
  readonly #closing: AbortSignal;
  #provider: Promise<SandboxProvider> | undefined;
  #pool: SandboxPool | undefined;

  /**
   * @param sessions - If another needs room, closes one that has expired, or an idle one if `whenFull` allows it.
   * @param closing - Fires when the executor closes. From then on, nobody gets a sandbox.
   */
  constructor(
    options: SandboxExecutorOptions,
    watch: ExecutorWatch,
    sessions: Pick<SessionManager, 'evict' | 'closeExpired' | 'endExpired' | 'nextExpiry'>,
    closing: AbortSignal,
  ) {
    this.#options = options;
    this.#closing = closing;
    this.#starts = new StartTurns(closing);
    this.limits = Object.freeze({ ...DEFAULT_LIMITS, ...given(options.limits ?? {}) });
    this.#watch = watch;
    const { fairBy: label, quotas } = options;
    const mayEvict = options.whenFull?.action === 'evict';
    const isWanted = (): boolean => this.#capacity.waiting > 0;
    const expiry = new ExpiryWatch({ sessions, options, isWanted, closing });
    this.#capacity = new Capacity({
      maxSandboxes: options.maxSandboxes,
      whenFull: options.whenFull,
      ...(label !== undefined &&
        quotas?.sandboxes !== undefined && { quota: { label, sandboxes: quotas.sandboxes } }),
      // Without a sandbox of the pool, a tenant that reached its quota is no closer to another one.
      makeRoom: (need) =>
        sessions.endExpired(need) ||
        (!need.onlyOwn && this.#pool?.endOne() === true) ||
        (mayEvict && sessions.evict(need)),
      onRoom: () => this.#pool?.refill(),
      onWait: (waiting) => {
        expiry.start();
        watch.waits(waiting);
      },
      closing,
    });
  }

  get stats(): Pick<ExecutorStats, 'ready' | 'starting' | 'waiting'> {
    return {
      ready: this.#pool?.ready ?? 0,
      starting: this.#starts.load,
      waiting: this.#capacity.waiting,
    };
  }

  /** Whether `room` would not wait now, and giving up what it returns would cost nothing: a ready sandbox of a pool does. */
  hasRoom(tenant: Group): boolean {
    return this.#pool === undefined && this.#capacity.hasRoomFor(tenant) && this.#starts.hasTurn;
  }

  /**
   * Waits for room for a sandbox: a ready one of the pool, or a permit and a turn among the starts.
   * @throws PtcError `PERSISTENCE_UNSUPPORTED`, `SANDBOX_LIMIT`, `QUOTA_EXCEEDED`, what `provider`
   * throws, or the reason of `signal` or `need.ending`.
   */
  async room(signal: AbortSignal, need: SandboxNeed): Promise<Room> {
    const { tenant, persistent, ending } = need;
    const provider = await this.provider(signal);
    if (persistent && provider.attach === undefined) throw persistenceUnsupported(provider);
    signal.throwIfAborted();
    const mayTake = !persistent && this.#capacity.isWithinQuota(tenant);
    const ready = mayTake ? this.#pool?.take() : undefined;
    if (ready !== undefined) {
      ready.leavePool(tenant);
      // It never returns to the pool.
      return { start: async () => ready, giveUp: async () => ready.close() };
    }
    using wait = new AnySignal(signal, ending);
    const permit = await this.#permit(wait.signal, tenant);
    try {
      await this.#starts.take(signal, tenant);
    } catch (error) {
      permit.release();
      throw error;
    }
    return {
      start: async () => {
        using either = new AnySignal(this.#closing, signal);
        using again = new AnySignal(either.signal, ending);
        const settings = sandboxSettings(provider, this.#options, this.limits);
        return await this.#starts.startWhenRoom({
          permit,
          tenant,
          signal: either.signal,
          start: async (one) => {
            either.signal.throwIfAborted();
            return this.#startFor(need, settings, one, either.signal);
          },
          deadline: () => this.#capacity.refusalDeadline,
          acquire: async (deadline) => this.#permit(again.signal, tenant, deadline),
        });
      },
      giveUp: async () => {
        permit.release();
        this.#starts.release();
      },
    };
  }

  /**
   * Ends the persistent sandbox that an earlier host left for a session, if it exists.
   * @throws PtcError `SANDBOX_LOST` if it could not be reached, and what `provider` throws.
   */
  async endLeft(sessionId: string, signal: AbortSignal): Promise<void> {
    const provider = await this.provider(signal);
    const left = await provider.attach?.(sessionId, { signal });
    await left?.close();
  }

  /**
   * @throws PtcError what `selectProvider` throws, `LANGUAGE_UNSUPPORTED`, `CLOSED`, or `ABORTED`
   * if `signal` fires.
   */
  async provider(signal?: AbortSignal): Promise<SandboxProvider> {
    const provider = await this.#choice.result(signal);
    checkLanguages(provider, this.#options.languages ?? DEFAULT_LANGUAGES);
    this.#fillPool(provider);
    return provider;
  }

  /** The keys of sessions, which its provider's hosts share. @throws PtcError what `provider` throws. */
  async keys(): Promise<SessionKeys> {
    return (await this.provider()).keys ?? MACHINE_KEYS;
  }

  /**
   * Waits until the pool's sandboxes are ready.
   * @throws PtcError what `SandboxPool.warmUp` throws.
   */
  async warmUp(): Promise<void> {
    await this.provider();
    await this.#pool?.warmUp();
  }

  /** Call this when a session is no longer used: it may be closed for a waiting caller. */
  reconsider(): void {
    this.#capacity.reconsider();
  }

  /**
   * Removes pool sandboxes that are no longer needed, and sandboxes of processes that have ended, until the
   * executor closes. Never throws.
   */
  async tidy(): Promise<void> {
    this.#pool?.trim();
    const provider = await this.#provider?.catch(() => undefined);
    try {
      await provider?.removeOrphans?.({ signal: this.#closing });
    } catch (error) {
      if (this.#closing.aborted) return;
      this.#options.onProgress?.(`Orphaned sandboxes could not be removed: ${String(error)}`);
    }
  }

  /** Ends the pool, and the provider if the executor created it. Call it after `closing` fired. */
  async close(): Promise<void> {
    await this.#pool?.close();
    // A provider that the caller created may serve other executors.
    if (typeof this.#options.provider === 'object') return;
    const provider = await this.#provider?.catch(() => undefined);
    await provider?.close();
  }

  async #choose(unwanted: AbortSignal): Promise<SandboxProvider> {
    const { provider = 'auto', languages = DEFAULT_LANGUAGES, onProgress } = this.#options;
    using either = new AnySignal(unwanted, this.#closing);
    const { signal } = either;
    this.#provider = selectProvider(provider, { languages, onProgress, signal });
    try {
      return await this.#provider;
    } catch (error) {
      throw this.#closing.aborted ? closedError(error) : error;
    }
  }

  /** @throws PtcError `SANDBOX_LIMIT`, `QUOTA_EXCEEDED`, or the signal's reason. */
  async #permit(signal: AbortSignal, tenant: Group, deadline?: number): Promise<Permit> {
    try {
      return await this.#capacity.acquire(signal, tenant, deadline);
    } catch (error) {
      await recordQuotaRefusal(error, { audit: this.#options.audit, stop: signal });
      throw error;
    }
  }

  /** A start in progress whose signal fires ends itself and removes what it created. */
  async #startFor(
    { tenant, id, persistent }: SandboxNeed,
    settings: SandboxSettings,
    permit: Permit,
    signal: AbortSignal,
  ): Promise<StartedSandbox> {
    const session = { persistent, ...(id !== undefined && { sessionId: id }) };
    if (persistent && id !== undefined) {
      const resume = async () => StartedSandbox.resume(settings, permit, signal, id);
      const resumed = await this.#watch.resumed(resume);
      return resumed ?? this.#start(settings, permit, signal, session);
    }
    const late = this.#pool?.takeLate();
    if (late === undefined) return this.#start(settings, permit, signal, session);
    // In this order: the permit that returns may be for another sandbox of this tenant.
    late.leavePool(tenant);
    permit.release();
    return late;
  }

  #startForPool(...start: Parameters<typeof StartedSandbox.start>): Promise<StartedSandbox> {
    const begin = async (): Promise<StartedSandbox> => {
      await this.#starts.takeLast();
      return this.#start(...start);
    };
    const started = begin();
    // Once it settles, and not before, so that the next caller finds the sandbox in the pool.
    const release = (): void => this.#starts.release();
    started.then(release, release);
    return started;
  }

  async #start(...start: Parameters<typeof StartedSandbox.start>): Promise<StartedSandbox> {
    return this.#watch.started(async () => StartedSandbox.start(...start));
  }

  #fillPool(provider: SandboxProvider): void {
    const { pool } = this.#options;
    if (pool === undefined || this.#pool !== undefined || this.#closing.aborted) return;
    const settings = sandboxSettings(provider, this.#options, this.limits);
    this.#pool = new SandboxPool(pool, (signal) => {
      const permit = this.#capacity.tryAcquire();
      if (permit === undefined) return this.#capacity.providerRefusal ?? poolRefusal();
      return this.#startForPool(settings, permit, signal);
    });
    this.#pool.refill();
  }
}

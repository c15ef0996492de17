import { PtcError } from '../../shared/errors.ts';

/** What happens if a sandbox is needed and `maxSandboxes` sandboxes exist. */
export interface WhenFull {
  /**
   * `wait`: waits until a sandbox is free, first come, first served. `reject`: fails at once.
   * `evict`: closes the session that was used least recently among those that nobody uses; if all
   * are in use, waits.
   */
  readonly policy: 'wait' | 'reject' | 'evict';
  /** How long to wait before failing with `SANDBOX_LIMIT`. @default 30000 */
  readonly timeoutMs?: number;
}

/** The right to have one sandbox. */
export interface Permit {
  /** Returns the permit. Can be called more than once. */
  readonly release: () => void;
}

export interface CapacityOptions {
  /** How many sandboxes may exist at a time. @default any number */
  readonly maxSandboxes?: number | undefined;
  /** @default wait 30 seconds */
  readonly whenFull?: WhenFull | undefined;
  /**
   * Closes one sandbox that is not needed, and returns false if there is none. The permit returns
   * when the sandbox is gone, which may be later.
   */
  readonly makeRoom: () => boolean;
  /** Called when a permit becomes free that nothing waits for. */
  readonly onRoom?: () => void;
  /** Called when a caller has to wait, with the number of callers that wait now. */
  readonly onWait?: (waiting: number) => void;
}

/** Limits the number of sandboxes. Callers that exceed it wait in order of arrival. */
export class Capacity {
  readonly #maxSandboxes: number;
  readonly #whenFull: WhenFull;
  readonly #makeRoom: () => boolean;
  readonly #onRoom: (() => void) | undefined;
  readonly #onWait: ((waiting: number) => void) | undefined;
  /** The waiting callers, in order of arrival. */
  readonly #waiters: Set<(permit: Permit) => void> = new Set();
  #used = 0;
  /** The number of sandboxes that are being closed to make room for waiting callers. */
  #roomsComing = 0;

  constructor(options: CapacityOptions) {
    this.#maxSandboxes = options.maxSandboxes ?? Number.POSITIVE_INFINITY;
    this.#whenFull = options.whenFull ?? { policy: 'wait' };
    this.#makeRoom = options.makeRoom;
    this.#onRoom = options.onRoom;
    this.#onWait = options.onWait;
  }

  /** How many callers wait for a permit. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** A permit that is free now and that nothing waits for. */
  tryAcquire(): Permit | undefined {
    return this.#waiters.size === 0 && this.#used < this.#maxSandboxes ? this.#permit() : undefined;
  }

  /**
   * Waits for a permit, as the policy says.
   * @throws PtcError `SANDBOX_LIMIT`, or the signal's reason if it fires first.
   */
  async acquire(signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted();
    const permit = this.tryAcquire();
    if (permit !== undefined) return permit;
    if (!this.#tryMakeRoom() && this.#whenFull.policy === 'reject') throw this.#refusal();
    return this.#wait(signal);
  }

  /** Call this when a sandbox may no longer be needed: it may be closed for a waiting caller. */
  reconsider(): void {
    while (this.#waiters.size > this.#roomsComing && this.#tryMakeRoom());
  }

  #tryMakeRoom(): boolean {
    this.#roomsComing += 1;
    const coming = this.#makeRoom();
    if (!coming) this.#roomsComing -= 1;
    return coming;
  }

  async #wait(signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#waiters.delete(take);
      };
      const take = (permit: Permit): void => {
        leave();
        resolve(permit);
      };
      const onAbort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.#refusal());
      }, this.#whenFull.timeoutMs ?? 30_000);
      signal.addEventListener('abort', onAbort);
      this.#waiters.add(take);
      this.#serve();
      if (this.#waiters.has(take)) this.#onWait?.(this.#waiters.size);
    });
  }

  #permit(): Permit {
    this.#used += 1;
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.#used -= 1;
        this.#roomsComing = Math.max(0, this.#roomsComing - 1);
        this.#serve();
        if (this.#used < this.#maxSandboxes) this.#onRoom?.();
      },
    };
  }

  #serve(): void {
    for (const take of this.#waiters) {
      if (this.#used >= this.#maxSandboxes) return;
      take(this.#permit());
    }
  }

  #refusal(): PtcError {
    const { policy, timeoutMs = 30_000 } = this.#whenFull;
    const waited = policy === 'reject' ? '' : `, and none became free within ${timeoutMs} ms`;
    return new PtcError(
      'SANDBOX_LIMIT',
      `All ${this.#maxSandboxes} sandboxes are in use${waited}. Release or close sessions, or raise maxSandboxes.`,
      { details: { maxSandboxes: this.#maxSandboxes, policy } },
    );
  }
}

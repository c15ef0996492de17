import { ownLoopTurn } from '../../shared/async/event-loop-work.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import { Semaphore } from '../../shared/async/semaphore.ts';
import type { Permit } from './capacity.ts';
import { CONCURRENT_STARTS } from './pool.ts';
import { isNoRoom } from './when-full.ts';

/** What a start for a session needs. It has a permit, and its turn. */
export interface StartOptions<Sandbox> {
  readonly permit: Permit;
  readonly tenant: Group;
  readonly signal: AbortSignal;
  readonly start: (permit: Permit) => Promise<Sandbox>;
  /** Until when it waits if the provider has no room, on the monotonic clock. */
  readonly deadline: () => number;
  /** Waits for another permit. */
  readonly acquire: (deadline: number) => Promise<Permit>;
}

/** Lets few sandboxes start at a time. */
export class StartTurns {
  readonly #starts: Semaphore = new Semaphore(CONCURRENT_STARTS);
  readonly #closing: AbortSignal;

  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  /** How many starts are in progress or wait. */
  get load(): number {
    return this.#starts.load;
  }

  /** Whether `take` would not wait now. */
  get hasTurn(): boolean {
    return this.load < CONCURRENT_STARTS;
  }

  /**
   * Waits until running starts leave room for one more, before those of the pool, and it is the
   * tenant's turn.
   * @throws the signal's reason.
   */
  async take(signal: AbortSignal, tenant: Group): Promise<void> {
    if ((await this.#starts.take(signal, tenant)) === false) throw signal.reason;
    if (!signal.aborted && !this.#closing.aborted) return;
    // The next one has its turn now, and thousands may wait while the executor closes.
    await ownLoopTurn(tenant);
    this.#starts.release();
    throw signal.reason ?? this.#closing.reason;
  }

  /** Waits until no start for a session waits, and running starts leave room for one more. */
  async takeLast(): Promise<void> {
    await this.#starts.takeLast();
  }

  release(): void {
    this.#starts.release();
  }

  /**
   * Starts a sandbox. If the provider has no room, leaves the turn to others, waits for another
   * permit and tries again. In the end, the permit is used or returned, and the turn is over.
   * @throws what `start` and `acquire` throw.
   */
  async startWhenRoom<Sandbox>(options: StartOptions<Sandbox>): Promise<Sandbox> {
    const { tenant, signal, start } = options;
    let { permit } = options;
    let deadline: number | undefined;
    for (;;) {
      try {
        return await start(permit);
      } catch (error) {
        permit.release();
        deadline ??= options.deadline();
        if (!isNoRoom(error) || performance.now() >= deadline) throw error;
      } finally {
        this.#starts.release();
      }
      permit = await options.acquire(deadline);
      try {
        await this.take(signal, tenant);
      } catch (error) {
        permit.release();
        throw error;
      }
    }
  }
}

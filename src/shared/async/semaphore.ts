import { FairQueue, type Group } from './fair-queue.ts';
import { onAbort } from './on-abort.ts';

/**
 * Limits how many pieces of work are done at a time. Each `take` needs a `release`. Callers that
 * wait are served in order of arrival, or if they name groups, each group in turn.
 */
export class Semaphore {
  #free: number;
  #taken = 0;
  readonly #waiting: FairQueue<() => void> = new FairQueue();
  /** They get a permit only if no other caller waits. */
  readonly #waitingLast: FairQueue<() => void> = new FairQueue();

  constructor(count: number) {
    this.#free = count;
  }

  /** How many pieces of work are in progress or wait. */
  get load(): number {
    return this.#taken + this.#waiting.size + this.#waitingLast.size;
  }

  /**
   * Takes a permit at once and returns undefined, or returns a promise that settles when it is the
   * caller's turn.
   * @param signal - If it fires first, the promise resolves with false and the caller has no
   * permit.
   */
  take(signal?: AbortSignal, group?: Group): Promise<boolean> | undefined {
    return this.#take(this.#waiting, signal, group);
  }

  /** Like `take`, after all callers of `take` that wait. */
  takeLast(): Promise<boolean> | undefined {
    return this.#take(this.#waitingLast, undefined, undefined);
  }

  /**
   * Passes the permit directly to the caller whose turn it is, so that no other caller can take it
   * in between.
   */
  release(): void {
    const next = this.#waiting.take() ?? this.#waitingLast.take();
    if (next !== undefined) return next();
    this.#taken -= 1;
    this.#free += 1;
  }

  #take(
    queue: FairQueue<() => void>,
    signal: AbortSignal | undefined,
    group: Group,
  ): Promise<boolean> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      this.#taken += 1;
      return undefined;
    }
    return new Promise((resolve) => {
      const settle = (hasPermit: boolean): void => {
        stopListening?.();
        resolve(hasPermit);
      };
      const enter = (): void => settle(true);
      const giveUp = (): void => {
        queue.delete(enter, group);
        settle(false);
      };
      if (signal?.aborted === true) return resolve(false);
      queue.add(enter, group);
      const stopListening = signal && onAbort(signal, giveUp);
    });
  }
}

/**
 * The permit of one piece of work, which can release it while it waits for something else, and take
 * one again.
 */
export class Permit {
  readonly #semaphore: Semaphore;
  #isTaken = false;

  constructor(semaphore: Semaphore) {
    this.#semaphore = semaphore;
  }

  /** Like `Semaphore.take`. Returns undefined as well if this already has a permit. */
  take(signal?: AbortSignal): Promise<boolean> | undefined {
    if (this.#isTaken) return undefined;
    const turn = this.#semaphore.take(signal);
    this.#isTaken = turn === undefined;
    return turn?.then((isTaken) => (this.#isTaken = isTaken));
  }

  release(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#semaphore.release();
  }
}

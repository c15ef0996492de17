import { SerialQueue } from '../../shared/async/serial-queue.ts';

/**
 * The changes of a session, which run one after another. One that ends the session does not wait until there
 * is room for those before it.
 */
export class SessionChanges {
  readonly #queue: SerialQueue = new SerialQueue();
  /** Fires when a change is added that ends the session, and is then replaced. */
  #ending: AbortController = new AbortController();

  /** Whether changes wait for others to end. */
  get hasWaiting(): boolean {
    return this.#queue.hasWaiting;
  }

  /** @throws what the change throws. */
  async add<Result>(change: () => Promise<Result>): Promise<Result> {
    return this.#queue.add(change);
  }

  /**
   * Adds a change that may wait for room.
   * @param change - Gets a signal that must end its wait for room with its reason, and nothing else.
   * @param onEnded - Called if that happened, before the change begins that ends the session. Its
   * result is then that of the change, and other changes do not wait for it.
   * @throws what the change throws.
   */
  async addStart<Result>(
    change: (ending: AbortSignal) => Promise<Result>,
    onEnded: () => Result | Promise<Result>,
  ): Promise<Result> {
    const { signal: ending } = this.#ending;
    const { result } = await this.#queue.add(async () => {
      try {
        return { result: await change(ending) };
      } catch (error) {
        if (!ending.aborted || error !== ending.reason) throw error;
        return { result: onEnded() };
      }
    });
    return result;
  }

  /** Adds a change that ends the session. @throws what the change throws. */
  async addEnd<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#ending.abort();
    this.#ending = new AbortController();
    return this.#queue.add(change);
  }
}

import type { PtcError } from '../../shared/errors.ts';

/** How often more sandboxes are tried than the provider had room for. */
const RETRY_MS = 1000;

/** Those who need sandboxes. */
export interface RoomSeekers {
  readonly wait: () => boolean;
  /** Whether sandboxes are being closed for them. They need not try before these are gone. */
  readonly getRoom: () => boolean;
  /** Lets them try the provider again. */
  readonly retry: () => void;
  /** Called when none of them waits any more, so that others may try the provider. */
  readonly onForgotten: () => void;
}

/** For how many sandboxes a provider has room, as far as is known. It tells only by refusing one. */
export class ProviderRoom {
  readonly #seekers: RoomSeekers;
  /** Undefined if the provider has refused none lately. */
  #known: { count: number; readonly error: PtcError } | undefined;
  /** How many more are tried the next time. */
  #step = 1;
  #timer: NodeJS.Timeout | undefined;

  constructor(seekers: RoomSeekers) {
    this.#seekers = seekers;
  }

  /** Infinity if it has refused none lately. */
  get count(): number {
    return this.#known?.count ?? Infinity;
  }

  /** What it said when it refused one. */
  get error(): PtcError | undefined {
    return this.#known?.error;
  }

  /** Call this if the provider has refused a sandbox although there were `count` others. */
  refuse(count: number, error: PtcError): void {
    this.#known = { count, error };
    this.#step = 1;
    this.#retryLater();
  }

  /** Others may have ended sandboxes: one caller that waits tries again, then two, and so on. */
  #retryLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#seekers.wait()) this.#known = undefined;
      if (this.#known === undefined) return this.#seekers.onForgotten();
      // If one was refused again, another session would be closed for it.
      if (!this.#seekers.getRoom()) {
        this.#known.count += this.#step;
        this.#step *= 2;
        this.#seekers.retry();
      }
      this.#retryLater();
    }, RETRY_MS).unref();
  }
}

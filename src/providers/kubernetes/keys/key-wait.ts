import type { KeyPatience } from '../../../sandbox/keys/keys.ts';
import type { KeyLease } from './key-lease.ts';

/** How long a holder that said that the key will be free soon may take for that. */
const RELEASE_MS = 10_000;

/** What came of a wait: the Lease that gives the claim the key, or the claim has to try again, or it is too late. */
export type KeyWaitEnd = KeyLease | 'gone' | 'late';

/** A claim that has asked for a key: how long it waits, by what the holder answers in the Lease. */
export class KeyWait {
  /** @throws the signal's reason. */
  readonly end: Promise<KeyWaitEnd>;
  readonly #claim: string;
  readonly #patience: KeyPatience;
  readonly #stopping: AbortController = new AbortController();
  #settle: (end: KeyWaitEnd) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  /** Until when the key is to be free, if the holder said that it will be. It is read again and again. */
  #promisedUntil: number | undefined;

  constructor(claim: string, patience: KeyPatience, signal: AbortSignal) {
    this.#claim = claim;
    this.#patience = patience;
    this.end = new Promise((resolve, reject) => {
      this.#settle = resolve;
      const onAbort = (): void => reject(signal.reason as Error);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { signal: this.#stopping.signal });
    });
    this.end.catch(() => {});
    this.#waitUntil(patience.answerDeadline);
  }

  /** Reads what the holder answered, and whether the claim has the key. */
  see(lease: KeyLease): void {
    if (lease.holder === this.#claim) return this.#settle(lease);
    const request = lease.requests.find(({ id }) => id === this.#claim);
    const { deadline } = this.#patience;
    if (request?.answer === 'in use') this.#waitUntil(deadline);
    if (request?.answer === 'soon') {
      this.#promisedUntil ??= performance.now() + RELEASE_MS;
      this.#waitUntil(Math.max(deadline, this.#promisedUntil));
    }
  }

  /** Nobody has the key, or its holder does not know of this claim. */
  lose(): void {
    this.#settle('gone');
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stopping.abort();
  }

  #waitUntil(time: number): void {
    clearTimeout(this.#timer);
    if (time === Infinity || this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => this.#settle('late'), Math.max(0, time - performance.now()));
  }
}

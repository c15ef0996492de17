import { setTimeout as delay } from 'node:timers/promises';
import type {
  HeldKey,
  HoldKeyOptions,
  KeyHolder,
  KeyPatience,
  SessionKeys,
} from '../../sandbox/keys/keys.ts';
import { PtcError } from '../../shared/errors.ts';

/** The longest pause between two attempts to get a key that others hold or take first. */
const LONGEST_PAUSE_MS = 1000;

/** What the key of a session needs. */
export interface SessionKeyOptions extends HoldKeyOptions {
  readonly id: string;
  /** Undefined if the session has none. */
  readonly key: string | undefined;
  /** The keys of the provider, or of the machine. */
  readonly keys: () => Promise<SessionKeys>;
  /** Called if another host may have the key although this one did not release it. */
  readonly onLost: () => void;
}

/** The key of a session, as this process holds it. A session without a key belongs to this process. */
export class SessionKey {
  readonly #options: SessionKeyOptions;
  #held: HeldKey | undefined;

  constructor(options: SessionKeyOptions) {
    this.#options = options;
  }

  /** Whether this process holds it, and another one waits for it. */
  get isWanted(): boolean {
    return this.#held?.isWanted === true;
  }

  /** Whether another host may have it although this one did not release it. */
  get isLost(): boolean {
    return this.#held?.lost.aborted === true;
  }

  /**
   * Whether another process or executor leaves the key to this one now. While it waits for room, it
   * does not hold the key: a socket for each request that waits could use up the descriptors of the
   * process. Only a key that another process has just left to this one is held at once, so that it
   * stays.
   */
  async canHold(): Promise<boolean> {
    const { id, key, keys } = this.#options;
    if (key === undefined) return true;
    if (this.#held !== undefined) return !this.isLost;
    const state = await (await keys()).stateOf(id);
    return state === 'left' ? this.hold() : state === 'free';
  }

  /** Holds the key if no other process or executor has it, and returns whether this one has it. */
  async hold(): Promise<boolean> {
    const { id, key, keys, onLost } = this.#options;
    if (key === undefined) return true;
    if (this.#held === undefined) {
      this.#held = await (await keys()).hold(id, this.#options);
      this.#held?.lost.addEventListener('abort', onLost, { once: true });
    }
    return this.#held !== undefined && !this.isLost;
  }

  async release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    held?.lost.removeEventListener('abort', this.#options.onLost);
    await held?.release();
  }

  /**
   * Asks the process that holds the key for it, and waits until the key is free. After a failed
   * attempt, pauses before that.
   * @param tries - How often the caller has tried to get the key.
   * @throws PtcError `SESSION_HELD` if the process still has it, or the signal's reason.
   */
  async ask(patience: KeyPatience, signal: AbortSignal, tries: number): Promise<void> {
    let holder: KeyHolder | undefined;
    try {
      if (tries > 1) await delay(pauseMs(tries, patience), undefined, { signal });
      const { id, keys, advertise } = this.#options;
      holder = await (await keys()).waitUntilFree(id, { patience, signal, advertise });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
    if (holder !== undefined) throw this.heldError(holder);
  }

  heldError({ advertised: holder }: Partial<KeyHolder> = {}): PtcError {
    const { id, key } = this.#options;
    const who = holder === undefined ? '' : ` (${holder})`;
    return new PtcError(
      'SESSION_HELD',
      `Another process or executor${who} uses the session of key ${JSON.stringify(key)}, or it has the session and does not answer. Set sessionWaitMs to wait until its program has ended and the session is released, or send the request to the process that has it.`,
      { details: { key, sessionId: id, ...(holder !== undefined && { holder }) } },
    );
  }
}

/**
 * Learning that the key is free costs little. Many processes that learn it at the same moment,
 * again and again, cost much.
 */
function pauseMs(tries: number, { answerDeadline }: KeyPatience): number {
  const leftMs = answerDeadline - performance.now();
  return Math.max(1, Math.min(LONGEST_PAUSE_MS, 2 ** tries, leftMs));
}

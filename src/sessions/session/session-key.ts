import { setTimeout as delay } from 'node:timers/promises';
import { PtcError } from '../../shared/errors.ts';
import type { Patience } from '../../shared/held-names/ask-holder.ts';
import {
  askForName,
  hasTurn,
  holdName,
  isNameHeld,
  type HeldName,
} from '../../shared/held-names/held-name.ts';

/** The longest pause between two attempts to get a key that others hold or take first. */
const LONGEST_PAUSE_MS = 1000;

/** The key of a session, as this process holds it. A session without a key belongs to this process. */
export class SessionKey {
  readonly #id: string;
  readonly #key: string | undefined;
  readonly #onAsked: () => boolean;
  #name: HeldName | undefined;

  /**
   * @param session - The session, whose `key` is undefined if it has none.
   * @param onAsked - Decides whether another process that asks for the key gets it soon.
   */
  constructor(
    session: { readonly id: string; readonly key: string | undefined },
    onAsked: () => boolean,
  ) {
    this.#id = session.id;
    this.#key = session.key;
    this.#onAsked = onAsked;
  }

  /** Whether this process holds it, and another one waits for it. */
  get isWanted(): boolean {
    return this.#name?.isWanted === true;
  }

  /**
   * Whether another process or executor leaves the key to this one now. While it waits for room, it
   * does not hold the key: a socket for each request that waits could use up the descriptors of the
   * process. Only a key that another process has just left to this one is held at once, so that it
   * stays.
   */
  async canHold(): Promise<boolean> {
    if (this.#key === undefined || this.#name !== undefined) return true;
    const name = nameOf(this.#id);
    return hasTurn(name) ? this.hold() : !(await isNameHeld(name));
  }

  /** Holds the key if no other process or executor has it, and returns whether this one has it. */
  async hold(): Promise<boolean> {
    if (this.#key === undefined) return true;
    this.#name ??= await holdName(nameOf(this.#id), this.#onAsked);
    return this.#name !== undefined;
  }

  async release(): Promise<void> {
    const name = this.#name;
    this.#name = undefined;
    await name?.release();
  }

  /**
   * Asks the process that holds the key for it, and waits until the key is free. After a failed
   * attempt, pauses before that.
   * @param tries - How often the caller has tried to get the key.
   * @throws PtcError `SESSION_HELD` if the process still has it, or the signal's reason.
   */
  async ask(patience: Patience, signal: AbortSignal, tries: number): Promise<void> {
    try {
      if (tries > 1) await delay(pauseMs(tries, patience), undefined, { signal });
      if (await askForName(nameOf(this.#id), patience, signal)) return;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
    throw this.heldError();
  }

  heldError(): PtcError {
    return new PtcError(
      'SESSION_HELD',
      `Another process or executor uses the session of key ${JSON.stringify(this.#key)}, or it has the session and does not answer. Set sessionWaitMs to wait until its program has ended and the session is released, or send the request to the process that has it.`,
      { details: { key: this.#key, sessionId: this.#id } },
    );
  }
}

/**
 * Learning that the key is free costs little. Many processes that learn it at the same moment,
 * again and again, cost much.
 */
function pauseMs(tries: number, { answerDeadline }: Patience): number {
  const leftMs = answerDeadline - performance.now();
  return Math.max(1, Math.min(LONGEST_PAUSE_MS, 2 ** tries, leftMs));
}

function nameOf(id: string): string {
  return `session/${id}`;
}

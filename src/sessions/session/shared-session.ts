import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { inBackground } from '../../shared/async/background.ts';
import { SerialQueue } from '../../shared/async/serial-queue.ts';
import { SharedTask } from '../../shared/async/shared-task.ts';
import { PtcError } from '../../shared/errors.ts';
import type { Patience } from '../../shared/held-names/ask-holder.ts';
import {
  askForName,
  hasTurn,
  holdName,
  isNameHeld,
  type HeldName,
} from '../../shared/held-names/held-name.ts';
import type { SandboxSession } from './sandbox-session.ts';

/** The longest pause between two attempts to get a key that others hold or take first. */
const LONGEST_PAUSE_MS = 1000;

/**
 * Starts a sandbox for the session as soon as there is room for it. Calls `hold` once there is, and
 * gives the room up and returns undefined if that returns false.
 * @throws PtcError what opening a session throws.
 */
export type SessionStart = (
  signal: AbortSignal,
  hold: () => Promise<boolean>,
) => Promise<SandboxSession | undefined>;

/**
 * The id of a key's session, the same in every process. A session without a key has an id that
 * nobody can guess.
 */
export function sessionIdOf(key: string | undefined): string {
  if (key === undefined) return randomUUID();
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

export interface SharedSessionOptions {
  readonly id: string;
  readonly key: string | undefined;
  /** Whether its sandboxes outlive this process. */
  readonly persistent: boolean;
  readonly start: SessionStart;
  /** Whether someone here has acquired it, or is acquiring it. */
  readonly isUsed: () => boolean;
  /** Called when its sandbox is gone and its key is no longer held. */
  readonly onFree: () => void;
}

/**
 * A session that its users share: one sandbox after another under the same id. If it has a key,
 * this process holds the key from the moment there is room for a sandbox until the sandbox is gone.
 * If another process asks for the key, the sandbox is left to it or ended as soon as nobody here
 * uses the session. A sandbox that was lost is replaced when the key is acquired the next time.
 */
export class SharedSession {
  readonly id: string;
  readonly key: string | undefined;
  /** Whether its sandboxes outlive this process. */
  readonly persistent: boolean;
  readonly #start: SessionStart;
  readonly #isUsed: () => boolean;
  readonly #onFree: () => void;
  #name: HeldName | undefined;
  #session: SandboxSession | undefined;
  #starts = 0;
  #resetting: Promise<void> | undefined;
  /** Changes of the session and of the held key run one after another. */
  readonly #changes: SerialQueue = new SerialQueue();
  /**
   * All callers at the same moment share one start. It is aborted if no caller waits for it any
   * more.
   */
  readonly #opening: SharedTask<SandboxSession | undefined> = new SharedTask((signal) =>
    this.#changes.add(() => this.#open(signal)),
  );

  constructor({ id, key, persistent, start, isUsed, onFree }: SharedSessionOptions) {
    this.id = id;
    this.key = key;
    this.persistent = persistent;
    this.#start = start;
    this.#isUsed = isUsed;
    this.#onFree = onFree;
  }

  /**
   * Counts the starts that were not part of a `reset`: each means that variables were lost
   * unexpectedly.
   */
  get starts(): number {
    return this.#starts;
  }

  /** The current session; undefined if there is none. */
  get session(): SandboxSession | undefined {
    return this.#session;
  }

  /**
   * The current session, which is opened if there is none; undefined if another process or executor
   * has the key.
   * @throws PtcError what opening a session throws.
   */
  async acquire(signal: AbortSignal): Promise<SandboxSession | undefined> {
    if (this.#session?.usable === true) return this.#session;
    return this.#opening.result(signal);
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
      if (await askForName(nameOf(this.id), patience, signal)) return;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
    throw this.#held();
  }

  /** Leaves the key to a process that waits for it, unless someone here uses the session. */
  offer(): void {
    if (this.#name?.isWanted === true && !this.#isUsed()) this.#handOver();
  }

  /** Settles when the current reset has ended; undefined if there is none. */
  get resetting(): Promise<void> | undefined {
    return this.#resetting;
  }

  /** Replaces the sandbox by a new one. @throws PtcError what opening a session throws. */
  async reset(signal: AbortSignal): Promise<void> {
    const reset = this.#changes.add(async () => {
      await this.#session?.close('reset');
      if (!(await this.#hold())) throw this.#held();
      await this.#replace(signal);
    });
    // Programs wait for this one. Only the caller of `reset` gets its failure.
    const resetting = reset
      .catch(() => undefined)
      .finally(() => {
        if (this.#resetting === resetting) this.#resetting = undefined;
      });
    this.#resetting = resetting;
    await reset;
  }

  /** Ends the session and releases the key. */
  async destroy(): Promise<void> {
    await this.#session?.close('closed');
    await this.#changes.add(() => this.#letGoIfGone());
  }

  /**
   * Ends the session, even if it is in use, and releases the key.
   * @param endLeft - Ends the sandbox that an earlier process left for it.
   * @returns false if another process or executor has the key.
   * @throws PtcError what `endLeft` throws.
   */
  async end(endLeft: () => Promise<void>): Promise<boolean> {
    await this.#session?.close('closed');
    return this.#changes.add(async () => {
      // A session that was just being opened.
      await this.#session?.close('closed');
      try {
        if (!(await this.#hold())) return false;
        await endLeft();
        return true;
      } finally {
        await this.#letGoIfGone();
      }
    });
  }

  /** Decides whether another process that asks for the key gets it now, and begins with it. */
  #asked(): boolean {
    if (this.#isUsed()) return false;
    this.#handOver();
    return true;
  }

  #handOver(): void {
    // Now, so that whoever acquires the key next finds the session closing, and asks for the key
    // after the other process.
    inBackground(this.#leave());
    inBackground(
      this.#changes.add(async () => {
        // A session whose opening nobody waited for, and that was acquired after that.
        if (this.#session?.usable === true && this.#isUsed()) return;
        await this.#leave();
        await this.#letGoIfGone();
      }),
    );
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    await (session?.expired === true ? session.close('expired') : session?.leave('handed-over'));
  }

  async #open(signal: AbortSignal): Promise<SandboxSession | undefined> {
    try {
      if (this.#session?.usable === true) return this.#session;
      await this.#session?.close(this.#session.expired ? 'expired' : 'sandbox-lost');
      if (!(await this.#canHold())) {
        this.#onFree();
        return undefined;
      }
      this.#starts += 1;
      return await this.#replace(signal);
    } finally {
      this.#opening.forget();
    }
  }

  /**
   * Whether another process or executor leaves the key to this one now. While it waits for room, it
   * does not hold the key: a socket for each request that waits could use up the descriptors of the
   * process. Only a key that another process has just left to this one is held at once, so that it
   * stays.
   */
  async #canHold(): Promise<boolean> {
    if (this.key === undefined || this.#name !== undefined) return true;
    const name = nameOf(this.id);
    return hasTurn(name) ? this.#hold() : !(await isNameHeld(name));
  }

  /**
   * Holds the key and returns whether that succeeded. A session without a key belongs to this
   * process.
   */
  async #hold(): Promise<boolean> {
    if (this.key === undefined) return true;
    this.#name ??= await holdName(nameOf(this.id), () => this.#asked());
    return this.#name !== undefined;
  }

  /**
   * The key stays held from one sandbox to the next. Returns undefined if another process or
   * executor has the key.
   */
  async #replace(signal: AbortSignal): Promise<SandboxSession | undefined> {
    let session: SandboxSession | undefined;
    try {
      session = await this.#start(signal, async () => this.#hold());
      if (session === undefined) return undefined;
      this.#session = session;
      inBackground(session.gone.then(() => this.#changes.add(() => this.#letGoIfGone())));
      return session;
    } finally {
      if (session === undefined) await this.#letGoIfGone();
    }
  }

  async #letGoIfGone(): Promise<void> {
    if (this.#session !== undefined && this.#session.state !== 'closed') return;
    this.#session = undefined;
    const name = this.#name;
    this.#name = undefined;
    await name?.release();
    // Changes that wait in the queue continue with this one.
    if (!this.#changes.hasWaiting) this.#onFree();
  }

  #held(): PtcError {
    return new PtcError(
      'SESSION_HELD',
      `Another process or executor uses the session of key ${JSON.stringify(this.key)}, or it has the session and does not answer. Set sessionWaitMs to wait until its program has ended and the session is released, or send the request to the process that has it.`,
      { details: { key: this.key, sessionId: this.id } },
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

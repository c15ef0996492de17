import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { inBackground } from '../shared/background.ts';
import { SharedTask } from '../shared/shared-task.ts';
import { PtcError } from '../shared/errors.ts';
import { holdName, waitUntilFree, type HeldName } from '../shared/held-name.ts';
import type { SandboxSession } from './sandbox-session.ts';

/** The longest pause between two tries to get a key that others hold, or take first. */
const LONGEST_PAUSE_MS = 1000;

/** Starts a sandbox for the session. */
export type SessionStart = (signal: AbortSignal) => Promise<SandboxSession>;

/** The same key has the same id, in every process. A session without a key has one that nobody can guess. */
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
  /** Hears that it is over: its sandbox is gone, and its key no longer held. */
  readonly onFree: () => void;
}

/**
 * A session as its users share it: one sandbox after another under the same id. If it has a key, this process holds the
 * key from the moment it is acquired until the sandbox is gone. A sandbox that died is replaced by whoever acquires the
 * key next.
 */
export class SharedSession {
  readonly id: string;
  readonly key: string | undefined;
  /** Whether its sandboxes outlive this process. */
  readonly persistent: boolean;
  readonly #start: SessionStart;
  readonly #onFree: () => void;
  #name: HeldName | undefined;
  #session: SandboxSession | undefined;
  #starts = 0;
  #resetting: Promise<void> | undefined;
  /** Whatever changes the session or the hold goes one after the other. */
  readonly #changes: PQueue = new PQueue({ concurrency: 1 });
  /** All who ask at the same moment share one start; it ends when nobody waits for it any more. */
  readonly #opening: SharedTask<SandboxSession | undefined> = new SharedTask((signal) =>
    this.#changes.add(() => this.#open(signal)),
  );

  constructor({ id, key, persistent, start, onFree }: SharedSessionOptions) {
    this.id = id;
    this.key = key;
    this.persistent = persistent;
    this.#start = start;
    this.#onFree = onFree;
  }

  /** Counts the starts that no `reset` asked for: with each, the state was lost unasked. */
  get starts(): number {
    return this.#starts;
  }

  /** Undefined if none is there. */
  get session(): SandboxSession | undefined {
    return this.#session;
  }

  /**
   * The session that can be used now, opened if there is none; undefined if another process or
   * executor holds the key.
   * @throws PtcError as opening a session does.
   */
  async acquire(signal: AbortSignal): Promise<SandboxSession | undefined> {
    if (this.#session?.usable === true) return this.#session;
    return this.#opening.result(signal);
  }

  /**
   * Waits until nobody else holds the key, and before that for a moment if it has been tried in vain before.
   * @param tries - How often the caller has tried to get the key.
   * @throws PtcError `SESSION_HELD` where that takes longer than until then, or the signal's reason.
   */
  async waitUntilFree(deadline: number, signal: AbortSignal, tries: number): Promise<void> {
    const leftMs = Math.ceil(deadline - performance.now());
    if (leftMs <= 0) throw this.#held();
    const timeout = AbortSignal.timeout(leftMs);
    const either = AbortSignal.any([timeout, signal]);
    try {
      if (tries > 1) await delay(pauseMs(tries), undefined, { signal: either });
      await waitUntilFree(nameOf(this.id), either);
    } catch (error) {
      if (timeout.aborted && !signal.aborted) throw this.#held();
      throw signal.aborted ? signal.reason : error;
    }
  }

  /** Settles when the reset that is under way is over; undefined where none is. */
  get resetting(): Promise<void> | undefined {
    return this.#resetting;
  }

  /** Gives the session a fresh sandbox. @throws PtcError as opening a session does. */
  async reset(signal: AbortSignal): Promise<void> {
    const reset = this.#changes.add(async () => {
      await this.#session?.close('reset');
      if (!(await this.#hold())) throw this.#held();
      await this.#replace(signal);
    });
    // Programs wait for it; it is the caller of `reset` who hears of a failure.
    const resetting = reset
      .catch(() => undefined)
      .finally(() => {
        if (this.#resetting === resetting) this.#resetting = undefined;
      });
    this.#resetting = resetting;
    await reset;
  }

  /** Ends the session and lets go of the key. */
  async destroy(): Promise<void> {
    await this.#session?.close('closed');
    await this.#changes.add(() => this.#letGoIfGone());
  }

  /**
   * Ends the session, whoever uses it, and lets go of the key.
   * @param endLeft - Ends the sandbox that an earlier process left for it.
   * @throws PtcError `SESSION_HELD` if another process or executor has the key, and what `endLeft` throws.
   */
  async end(endLeft: () => Promise<void>): Promise<void> {
    await this.#session?.close('closed');
    await this.#changes.add(async () => {
      // One that was being opened.
      await this.#session?.close('closed');
      try {
        if (!(await this.#hold())) throw this.#held();
        await endLeft();
      } finally {
        await this.#letGoIfGone();
      }
    });
  }

  async #open(signal: AbortSignal): Promise<SandboxSession | undefined> {
    try {
      if (this.#session?.usable === true) return this.#session;
      await this.#session?.close(this.#session.expired ? 'expired' : 'sandbox-lost');
      if (!(await this.#hold())) {
        this.#onFree();
        return undefined;
      }
      this.#starts += 1;
      return await this.#replace(signal);
    } finally {
      this.#opening.forget();
    }
  }

  /** Whether this process holds the key from now on. Nobody else can have a session without one. */
  async #hold(): Promise<boolean> {
    if (this.key === undefined) return true;
    this.#name ??= await holdName(nameOf(this.id));
    return this.#name !== undefined;
  }

  /** The key stays held from one sandbox to the next. */
  async #replace(signal: AbortSignal): Promise<SandboxSession> {
    try {
      const session = await this.#start(signal);
      this.#session = session;
      inBackground(session.gone.then(() => this.#changes.add(() => this.#letGoIfGone())));
      return session;
    } catch (error) {
      await this.#letGoIfGone();
      throw error;
    }
  }

  async #letGoIfGone(): Promise<void> {
    if (this.#session !== undefined && this.#session.state !== 'closed') return;
    this.#session = undefined;
    const name = this.#name;
    this.#name = undefined;
    await name?.release();
    // Those who wait in the queue go on with this one.
    if (this.#changes.size === 0) this.#onFree();
  }

  #held(): PtcError {
    return new PtcError(
      'SESSION_HELD',
      `Another process or executor has the session of key ${JSON.stringify(this.key)}. Set waitMs to wait for it, or send the request to whoever has it; it is free once that one destroys the session or ends.`,
      { details: { key: this.key, sessionId: this.id } },
    );
  }
}

/** Being told that the key is free costs little; that many are told at the same moment, again and again, does not. */
function pauseMs(tries: number): number {
  return Math.min(LONGEST_PAUSE_MS, 2 ** tries);
}

function nameOf(id: string): string {
  return `session/${id}`;
}

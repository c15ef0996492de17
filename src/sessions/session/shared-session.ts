import { createHash, randomUUID } from 'node:crypto';
import { SESSION_COUNTS } from '../../calls/limits/scope-counts.ts';
import { untilAborted } from '../../shared/async/abort.ts';
import { inBackground } from '../../shared/async/background.ts';
import { ownLoopTurn } from '../../shared/async/event-loop-work.ts';
import { SharedTask } from '../../shared/async/shared-task.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import { closedError, notPersistentError } from '../executor-errors.ts';
import { tenantOf } from '../tenants/tenants.ts';
import type { SandboxSession } from './sandbox-session.ts';
import { SessionChanges } from './session-changes.ts';
import { SessionKey } from './session-key.ts';
import { startSession, type StartSignals } from './start-session.ts';
import type { SessionRequest, SharedSessionParts } from './shared-session-options.ts';

/**
 * The id of a key's session, the same in every process. A session without a key has an id that
 * nobody can guess.
 */
export function sessionIdOf(key: string | undefined): string {
  if (key === undefined) return randomUUID();
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
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
  readonly #parts: SharedSessionParts;
  readonly #onFree: () => void;
  readonly #key: SessionKey;
  #session: SandboxSession | undefined;
  /** The last one that asked for it. */
  #asking: SessionRequest = { labels: {}, persistent: false };
  /** The one that opened the session last, which a reset opens again. */
  #opener: SessionRequest = this.#asking;
  #starts = 0;
  #resetting: Promise<unknown> | undefined;
  /** Changes of the session and of the held key run one after another. */
  readonly #changes: SessionChanges = new SessionChanges();
  /**
   * All callers at the same moment share one start, for the request of the first. It is aborted if no
   * caller waits for it any more.
   */
  readonly #opening: SharedTask<SandboxSession | undefined> = new SharedTask((signal) =>
    this.#addOpening(this.#asking, signal),
  );

  /** @param onFree - Called when its sandbox is gone and its key is no longer held. */
  constructor(
    { id, key }: Pick<SharedSession, 'id' | 'key'>,
    parts: SharedSessionParts,
    onFree: () => void,
  ) {
    this.id = id;
    this.key = key;
    this.#parts = parts;
    this.#onFree = onFree;
    const { advertise } = parts.options;
    const keys = async () => parts.supply.keys();
    this.#key = new SessionKey({
      id,
      key,
      keys,
      advertise,
      onAsked: () => this.#asked(),
      onLost: () => this.#loseSession(),
    });
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
   * @throws PtcError what opening a session throws, `OPTION_INVALID` if the request is for a
   * persistent session and it is not.
   */
  async acquire(request: SessionRequest, signal: AbortSignal): Promise<SandboxSession | undefined> {
    this.#asking = request;
    const isOpen = this.#session?.usable === true;
    const session = isOpen ? this.#session : await this.#opening.result(signal);
    if (request.persistent && session?.persistent === false) throw notPersistentError(this.key);
    return session;
  }

  /** As `SessionKey.ask`. */
  async ask(...how: Parameters<SessionKey['ask']>): Promise<void> {
    await this.#key.ask(...how);
  }

  /** Leaves the key to a process that waits for it, unless someone here uses the session. */
  offer(): void {
    if (this.#key.isWanted && !this.#isUsed()) this.#handOver();
  }

  /** Settles when the current reset has ended; undefined if there is none. */
  get resetting(): Promise<unknown> | undefined {
    return this.#resetting;
  }

  /**
   * Replaces the sandbox by a new one.
   * @returns false if the session was ended while this waited for room.
   * @throws PtcError what opening a session throws.
   */
  async reset(signal: AbortSignal): Promise<boolean> {
    const replace = async (ending: AbortSignal): Promise<boolean> => {
      await this.#session?.close('reset');
      if (!(await this.#key.hold())) throw this.#key.heldError();
      await this.#replace({ signal, ending });
      return true;
    };
    const reset = this.#changes.addStart(replace, () => {
      SESSION_COUNTS.forget(this.id);
      this.#parts.sessions.remember(this.id, 'closed');
      return false;
    });
    // Programs wait for this one. Only the caller of `reset` gets its failure.
    const resetting = reset
      .catch(() => undefined)
      .finally(() => {
        if (this.#resetting === resetting) this.#resetting = undefined;
      });
    this.#resetting = resetting;
    return reset;
  }

  /** Ends the session and releases the key. Who acquires the key from now on gets another session. */
  async destroy(): Promise<void> {
    const starts = this.#starts;
    inBackground(this.#session?.close('closed'));
    // Callers from now on must not share an opening that began before.
    this.#opening.forget();
    await this.#changes.addEnd(async () => {
      // It may be the next one, which a reset was opening, but not one that was opened for others.
      if (this.#starts === starts) await this.#session?.close('closed');
      await this.#letGoIfGone();
    });
  }

  /** As `destroy`, if a reset is in progress, which opens another sandbox after the one that can be found and closed now. */
  async endReset(): Promise<void> {
    if (this.#resetting !== undefined) await this.destroy();
  }

  /**
   * Ends the session, even if it is in use, and releases the key.
   * @param endLeft - Ends the sandbox that an earlier process left for it.
   * @returns false if another process or executor has the key.
   * @throws PtcError what `endLeft` throws.
   */
  async end(endLeft: () => Promise<void>): Promise<boolean> {
    await this.#session?.close('closed');
    return this.#changes.addEnd(async () => {
      // A session that was just being opened.
      await this.#session?.close('closed');
      try {
        if (!(await this.#key.hold())) return false;
        await endLeft();
        SESSION_COUNTS.forget(this.id);
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

  #loseSession(): void {
    if (this.#session !== undefined) inBackground(this.#session.lose());
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    await (session?.expired === true ? session.close('expired') : session?.leave('handed-over'));
  }

  /** If the session is ended while this waits for room, it begins again after that. */
  async #addOpening(
    request: SessionRequest,
    signal: AbortSignal,
  ): Promise<SandboxSession | undefined> {
    return this.#changes.addStart(
      async (ending) => this.#open(request, { signal, ending }),
      async () => this.#addOpening(request, signal),
    );
  }

  async #open(request: SessionRequest, signals: StartSignals): Promise<SandboxSession | undefined> {
    try {
      if (this.#session?.usable === true) return this.#session;
      this.#opener = request;
      await this.#session?.close(this.#session.expired ? 'expired' : 'sandbox-lost');
      // If there is room, the key is asked for once, by `hold`: keys of a cluster cost a request each time.
      if (!this.#parts.supply.hasRoom(this.#tenant) && !(await this.#key.canHold())) {
        await this.#letGoIfGone();
        return undefined;
      }
      const session = await this.#replace(signals);
      if (session !== undefined) this.#starts += 1;
      return session;
    } finally {
      this.#opening.forget();
    }
  }

  /**
   * The key stays held from one sandbox to the next. Returns undefined if another process or
   * executor has the key.
   */
  async #replace(signals: StartSignals): Promise<SandboxSession | undefined> {
    let session: SandboxSession | undefined;
    try {
      session = await this.#start(signals);
      if (session === undefined) return undefined;
      this.#session = session;
      inBackground(session.gone.then(() => this.#changes.add(() => this.#letGoIfGone())));
      if (this.#key.isLost) this.#loseSession();
      return session;
    } finally {
      if (session === undefined) await this.#letGoIfGone();
    }
  }

  /** Stops waiting when the executor stops waiting. The start then ends on its own. */
  async #start(signals: StartSignals): Promise<SandboxSession | undefined> {
    const { closing, closed } = this.#parts;
    const starting = startSession(this, this.#opener, this.#parts, {
      holdKey: async () => this.#key.hold(),
      ...signals,
    });
    await untilAborted(starting, closed);
    if (!closing.aborted) return starting;
    // Thousands may be told at once.
    await ownLoopTurn(this.#tenant);
    throw closedError();
  }

  get #tenant(): Group {
    return tenantOf(this.#opener.labels, this.#parts.options.fairBy);
  }

  #isUsed(): boolean {
    return this.#parts.sessions.isUsed(this.id);
  }

  async #letGoIfGone(): Promise<void> {
    if (this.#session !== undefined && this.#session.state !== 'closed') return;
    this.#session = undefined;
    await this.#key.release();
    // Changes that wait in the queue continue with this one.
    if (!this.#changes.hasWaiting) this.#onFree();
  }
}

import { closedError, notPersistentError } from '../executor-errors.ts';
import { Patience } from '../../shared/held-names/ask-holder.ts';
import type { SessionLabels } from '../keys-and-labels.ts';
import type { SessionManager } from '../session-manager.ts';
import type { SandboxSession } from './sandbox-session.ts';
import { type SessionStart, SharedSession } from './shared-session.ts';

/** The session to open. */
export interface OpenOptions {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: SessionLabels;
  readonly persistent: boolean;
}

export interface AcquiredSession {
  readonly shared: SharedSession;
  readonly session: SandboxSession;
}

/** Starts a sandbox for a session, or takes it over. The rest is as for `SessionStart`. */
export type OpenSession = (
  options: OpenOptions,
  ...rest: Parameters<SessionStart>
) => ReturnType<SessionStart>;

/** The sessions of an executor that users share, by their ids. */
export class SharedSessions {
  readonly #open: OpenSession;
  readonly #manager: Pick<SessionManager, 'isUsed'>;
  readonly #sessions: Map<string, SharedSession> = new Map();

  /** @param manager - Knows which sessions are in use. */
  constructor(open: OpenSession, manager: Pick<SessionManager, 'isUsed'>) {
    this.#open = open;
    this.#manager = manager;
  }

  /**
   * Returns a session that can be used now.
   * @param waitMs - How long to wait for its key if another process or executor uses it.
   * @throws PtcError what `Executor.acquire` throws, or the signal's reason.
   */
  async acquire(
    options: OpenOptions,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<AcquiredSession> {
    const patience = new Patience(waitMs);
    for (let tries = 1; ; tries += 1) {
      const shared = this.#get(options);
      // It may wait for room.
      const session = await patience.during(async () => shared.acquire(signal));
      if (session !== undefined) return { shared, session };
      await shared.ask(patience, signal, tries);
    }
  }

  /**
   * Ends a session, even if it is in use.
   * @param endLeft - Ends the sandbox that an earlier process left for it.
   * @param closing - Fires when the executor closes.
   * @throws PtcError `SESSION_HELD` if another process or executor uses the session, `CLOSED`, and
   * what `endLeft` throws.
   */
  async end(
    options: OpenOptions,
    closing: AbortSignal,
    endLeft: () => Promise<void>,
  ): Promise<void> {
    const patience = new Patience(0);
    try {
      closing.throwIfAborted();
      for (let tries = 1; ; tries += 1) {
        const shared = this.#sessions.get(options.id) ?? this.#get(options);
        if (await shared.end(endLeft)) return;
        await shared.ask(patience, closing, tries);
      }
    } catch (error) {
      throw closing.aborted ? closedError(error) : error;
    }
  }

  /** Call this when nobody uses a session any more: another process may wait for its key. */
  offer(id: string): void {
    this.#sessions.get(id)?.offer();
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((shared) => shared.destroy()));
  }

  #get(options: OpenOptions): SharedSession {
    const { id, key, persistent } = options;
    const known = this.#sessions.get(id);
    if (known !== undefined && (known.persistent || !persistent)) return known;
    if (known !== undefined) throw notPersistentError(key);
    const shared = new SharedSession({
      id,
      key,
      persistent,
      start: async (...how) => this.#open(options, ...how),
      isUsed: () => this.#manager.isUsed(id),
      onFree: () => {
        if (this.#sessions.get(id) === shared) this.#sessions.delete(id);
      },
    });
    this.#sessions.set(id, shared);
    return shared;
  }
}

import { inBackground } from '../shared/background.ts';
import { PtcError } from '../shared/errors.ts';
import type { SandboxSession } from './sandbox-session.ts';
import type { ExecutorStats } from './executor-watch.ts';
import {
  explainClose,
  type SessionCloseReason,
  type SessionInfo,
  type SessionState,
} from './session-info.ts';

/** Of how many closed sessions it is remembered why they were closed. */
const REMEMBERED = 1000;

/** Sessions by id: finds them, knows who uses them, lets those go that nobody uses. */
export class SessionManager {
  readonly #sessions: Map<string, SandboxSession> = new Map();
  /** How many use a session, by its id. Who is not in it is used by nobody. */
  readonly #uses: Map<string, number> = new Map();
  readonly #past: Map<string, SessionCloseReason> = new Map();
  readonly #onUnused: () => void;

  /** @param onUnused - Hears that a session is no longer used. */
  constructor(onUnused: () => void) {
    this.#onUnused = onUnused;
  }

  add(session: SandboxSession): void {
    this.#sessions.set(session.id, session);
    inBackground(this.#forgetWhenGone(session));
  }

  /**
   * The session of this id.
   * @throws PtcError `SESSION_EXPIRED` or `SESSION_NOT_FOUND`.
   */
  get(id: string): SandboxSession {
    const session = this.#sessions.get(id);
    if (session?.usable === true) return session;
    if (session?.expired === true) inBackground(session.close('expired'));
    throw missing(id, session ? (session.closeReason ?? 'sandbox-lost') : this.#past.get(id));
  }

  /** The session of this id; undefined if there is none that can be used. */
  find(id: string): SandboxSession | undefined {
    const session = this.#sessions.get(id);
    return session?.usable === true ? session : undefined;
  }

  /** All sessions that can still be used. */
  list(): SessionInfo[] {
    return [...this.#sessions.values()]
      .filter((session) => session.usable)
      .map((session) => session.info());
  }

  get counts(): Pick<ExecutorStats, 'busy' | 'idle'> {
    const states = [...this.#sessions.values()].map(({ state }) => state);
    const count = (wanted: SessionState): number =>
      states.filter((state) => state === wanted).length;
    return { busy: count('busy'), idle: count('idle') };
  }

  /** Keeps a session from being evicted until the returned function is called. */
  use(id: string): () => void {
    this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
    let used = true;
    return () => {
      if (!used) return;
      used = false;
      const left = (this.#uses.get(id) ?? 1) - 1;
      if (left > 0) this.#uses.set(id, left);
      else this.#uses.delete(id);
      if (left === 0) this.#onUnused();
    };
  }

  /** Closes the least recently used of the idle sessions that nobody uses, but no persistent one; false where there is none. */
  evict(): boolean {
    let oldest: SandboxSession | undefined;
    for (const session of this.#sessions.values()) {
      if (session.persistent || session.state !== 'idle' || this.#uses.has(session.id)) continue;
      if (oldest === undefined || session.lastUsed < oldest.lastUsed) oldest = session;
    }
    inBackground(oldest?.close('evicted'));
    return oldest !== undefined;
  }

  /** Ends a session and returns when its sandbox is gone; false where there is none of this id. */
  async close(id: string): Promise<boolean> {
    const session = this.#sessions.get(id);
    await session?.close('closed');
    return session !== undefined;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.close(id)));
  }

  /** Closes all because their host closes; the persistent ones are left to the next. */
  async leaveAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.leave()));
  }

  closeExpired(): void {
    for (const session of this.#sessions.values()) {
      if (session.expired) inBackground(session.close('expired'));
    }
  }

  async #forgetWhenGone(session: SandboxSession): Promise<void> {
    await session.gone;
    // The id of a key may have a new session by now.
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    // Its only user may never have released it.
    if (session.key === undefined) this.#uses.delete(session.id);
    this.#remember(session.id, session.closeReason ?? 'closed');
  }

  #remember(id: string, reason: SessionCloseReason): void {
    this.#past.delete(id);
    this.#past.set(id, reason);
    const [oldest] = this.#past.keys();
    if (this.#past.size > REMEMBERED && oldest !== undefined) this.#past.delete(oldest);
  }
}

const RENEW = 'Acquire its key again for a new one, or a session without a key.';

function missing(id: string, reason: SessionCloseReason | undefined): PtcError {
  const why =
    reason === undefined ? 'it was closed long ago, or it never was' : explainClose(reason);
  return new PtcError(
    reason === 'expired' ? 'SESSION_EXPIRED' : 'SESSION_NOT_FOUND',
    `There is no session ${id}: ${why}. ${RENEW}`,
    { details: { sessionId: id, ...(reason && { reason }) } },
  );
}

import { inBackground } from '../shared/async/background.ts';
import type { Group } from '../shared/async/fair-queue.ts';
import { PtcError } from '../shared/errors.ts';
import type { SandboxSession } from './session/sandbox-session.ts';
import type { ExecutorStats } from './executor-watch.ts';
import type { RoomNeed } from './supply/capacity.ts';
import {
  explainClose,
  type SessionCloseReason,
  type SessionInfo,
  type SessionState,
} from './session/session-info.ts';

/** How many closed sessions are remembered, with the reasons. */
const REMEMBERED = 1000;

/** Finds sessions by id, knows which are in use, and closes those that expired or are evicted. */
export class SessionManager {
  readonly #sessions: Map<string, SandboxSession> = new Map();
  /** The number of uses of a session, by its id. A session that is missing here is not in use. */
  readonly #uses: Map<string, number> = new Map();
  readonly #past: Map<string, SessionCloseReason> = new Map();

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

  /** The session of this id; undefined if no usable session has it. */
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

  /**
   * Counts a use of a session until the returned function is called, which returns whether that was
   * the last one. A session in use is not evicted.
   */
  use(id: string): () => boolean {
    this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
    let used = true;
    return () => {
      if (!used) return false;
      used = false;
      const left = (this.#uses.get(id) ?? 1) - 1;
      if (left > 0) this.#uses.set(id, left);
      else this.#uses.delete(id);
      return left === 0;
    };
  }

  /** Forgets the uses of a session that never comes back, whose users may not end them. */
  forgetUses(id: string): void {
    this.#uses.delete(id);
  }

  /** Whether someone has acquired the session of this id, or is acquiring it. */
  isUsed(id: string): boolean {
    return this.#uses.has(id);
  }

  /**
   * Closes a session that is idle, not in use and not persistent, and whose tenant is the one that
   * needs room or has more sessions: one of the tenant that has most, and among these the one that
   * was used least recently. Returns false if there is none. If tenants with as many sessions were
   * not spared, each could take the last one of another, and would then have two more.
   */
  evict({ tenant: needing, has, onlyOwn }: RoomNeed): boolean {
    const all = [...this.#sessions.values()].filter(
      ({ state }) => state === 'idle' || state === 'busy',
    );
    const counts = new Map<Group, number>();
    for (const { tenant } of all) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    const countOf = ({ tenant }: SandboxSession): number => counts.get(tenant) ?? 0;
    const [chosen] = all
      .filter((session) => this.#isDispensable(session))
      .filter((session) => session.tenant === needing || (!onlyOwn && countOf(session) > has))
      .sort((a, b) => countOf(b) - countOf(a) || a.lastUsed - b.lastUsed);
    inBackground(chosen?.close('evicted'));
    return chosen !== undefined;
  }

  /** Ends a session, if one has this id, and resolves when its sandbox is gone. */
  async close(id: string): Promise<void> {
    await this.#sessions.get(id)?.close('closed');
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.close(id)));
  }

  /** Closes all sessions because the host closes. Persistent ones are left to the next host. */
  async leaveAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.leave('left')));
  }

  closeExpired(): void {
    for (const session of this.#sessions.values()) {
      if (session.expired) inBackground(session.close('expired'));
    }
  }

  /**
   * Closes a session that has expired and was not closed yet, even if its users have not released it.
   * Returns false if there is none.
   */
  endExpired({ tenant, onlyOwn }: Pick<RoomNeed, 'tenant' | 'onlyOwn'>): boolean {
    const expired = [...this.#sessions.values()].find(
      (session) =>
        session.state === 'idle' && session.expired && (!onlyOwn || session.tenant === tenant),
    );
    inBackground(expired?.close('expired'));
    return expired !== undefined;
  }

  /** When the first of the idle sessions expires, on the monotonic clock. Infinity if there are none. */
  get nextExpiry(): number {
    const times = [...this.#sessions.values()].map(({ state, expiresAt }) =>
      state === 'idle' ? expiresAt : Infinity,
    );
    return times.reduce((first, time) => Math.min(first, time), Infinity);
  }

  /** Remembers why a session is gone. */
  remember(id: string, reason: SessionCloseReason): void {
    this.#past.delete(id);
    this.#past.set(id, reason);
    const [oldest] = this.#past.keys();
    if (this.#past.size > REMEMBERED && oldest !== undefined) this.#past.delete(oldest);
  }

  #isDispensable({ persistent, state, id }: SandboxSession): boolean {
    return !persistent && state === 'idle' && !this.#uses.has(id);
  }

  async #forgetWhenGone(session: SandboxSession): Promise<void> {
    await session.gone;
    // The same key may have a new session by now.
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    this.remember(session.id, session.closeReason ?? 'closed');
  }
}

const RENEW = 'Acquire its key again, or acquire a session without a key.';

function missing(id: string, reason: SessionCloseReason | undefined): PtcError {
  const why =
    reason === undefined ? 'it was closed long ago, or never existed' : explainClose(reason);
  return new PtcError(
    reason === 'expired' ? 'SESSION_EXPIRED' : 'SESSION_NOT_FOUND',
    `Session ${id} does not exist: ${why}. ${RENEW}`,
    { details: { sessionId: id, ...(reason && { reason }) } },
  );
}

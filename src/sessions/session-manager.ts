import { randomUUID } from 'node:crypto';
import { PtcError } from '../shared/errors.ts';
import { Session, type SessionInfo, type SessionSettings } from './session.ts';

/** Sessions by id: opens them, finds them, lets those go that nobody uses. */
export class SessionManager {
  readonly #sessions: Map<string, Session> = new Map();
  readonly #cleanupIntervalMs: number;
  #cleanupTimer: NodeJS.Timeout | undefined;

  constructor(cleanupIntervalMs: number) {
    this.#cleanupIntervalMs = cleanupIntervalMs;
  }

  /** Starts a sandbox for a new session. Its id has 122 random bits. */
  async open(settings: SessionSettings, signal?: AbortSignal): Promise<Session> {
    const session = await Session.open(randomUUID(), settings, signal);
    this.#sessions.set(session.id, session);
    return session;
  }

  /**
   * The session of this id.
   * @throws PtcError `SESSION_EXPIRED` or `SESSION_NOT_FOUND`.
   */
  get(id: string): Session {
    const session = this.#sessions.get(id);
    if (session?.expired === true) {
      void this.close(id);
      throw new PtcError('SESSION_EXPIRED', `Session ${id} was unused for too long. ${RENEW}`, {
        details: { sessionId: id },
      });
    }
    if (session === undefined || session.state === 'closed') {
      throw new PtcError(
        'SESSION_NOT_FOUND',
        `There is no session ${id}: it was closed, it expired, or it never was. ${RENEW}`,
        { details: { sessionId: id } },
      );
    }
    return session;
  }

  /** All sessions that can still be used. */
  list(): SessionInfo[] {
    return [...this.#sessions.values()]
      .filter((session) => session.state !== 'closed' && !session.expired)
      .map((session) => session.info());
  }

  /** Ends a session and returns when its sandbox is gone; false where there is none of this id. */
  async close(id: string): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    // It stays known until its sandbox is gone, so that `closeAll` waits for it too.
    await session.close();
    this.#sessions.delete(id);
    return true;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.close(id)));
  }

  /** Looks for expired sessions from now on. The timer keeps no process alive. */
  startCleanup(): void {
    this.#cleanupTimer ??= setInterval(() => this.#removeUnused(), this.#cleanupIntervalMs).unref();
  }

  stopCleanup(): void {
    clearInterval(this.#cleanupTimer);
    this.#cleanupTimer = undefined;
  }

  #removeUnused(): void {
    for (const session of this.#sessions.values()) {
      if (session.expired || session.state === 'closed') void this.close(session.id);
    }
  }
}

const RENEW =
  'Run without a session id, or with `reuseSession: true` to open a new session instead.';

import type { SandboxSession } from './sandbox-session.ts';
import type { SharedSession } from './shared-session.ts';

/** One use of a session, which has begun. The session is not evicted or handed over until it ends. */
export class SessionUse {
  readonly shared: SharedSession;
  /** The sandbox that the session had when the use began. */
  readonly session: SandboxSession;
  /** Call it when the request no longer waits. It can be called more than once. */
  readonly endWait: () => void;
  /** Ends the use, and leaves the session as it is. It can be called more than once. */
  readonly end: () => void;

  constructor(parts: Pick<SessionUse, 'shared' | 'session' | 'endWait' | 'end'>) {
    this.shared = parts.shared;
    this.session = parts.session;
    this.endWait = parts.endWait;
    this.end = parts.end;
  }

  /** Ends the use. A session without a key ends with it. */
  async release(): Promise<void> {
    try {
      if (this.shared.key === undefined) await this.shared.destroy();
    } finally {
      this.end();
    }
  }
}

import { notPersistentError } from '../executor-errors.ts';
import type { SessionLabels } from '../keys-and-labels.ts';
import type { SandboxSession } from './sandbox-session.ts';
import { SharedSession } from './shared-session.ts';

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

/** The sessions of an executor that users share, by their ids. */
export class SharedSessions {
  readonly #open: (options: OpenOptions, signal: AbortSignal) => Promise<SandboxSession>;
  readonly #sessions: Map<string, SharedSession> = new Map();

  /** @param open - Starts a sandbox for a session, or takes it over. */
  constructor(open: (options: OpenOptions, signal: AbortSignal) => Promise<SandboxSession>) {
    this.#open = open;
  }

  /**
   * Returns a session that can be used now.
   * @param waitMs - How long to wait for its key if another process or executor has it.
   * @throws PtcError what `Executor.acquire` throws, or the signal's reason.
   */
  async acquire(
    options: OpenOptions,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<AcquiredSession> {
    const deadline = performance.now() + waitMs;
    for (let tries = 1; ; tries += 1) {
      const shared = this.#get(options);
      const session = await shared.acquire(signal);
      if (session !== undefined) return { shared, session };
      await shared.waitUntilFree(deadline, signal, tries);
    }
  }

  /**
   * Ends a session, even if it is in use.
   * @param endLeft - Ends the sandbox that an earlier process left for it.
   * @throws PtcError `SESSION_HELD` if another process or executor has its key, and what `endLeft`
   * throws.
   */
  async end(options: OpenOptions, endLeft: () => Promise<void>): Promise<void> {
    const shared = this.#sessions.get(options.id) ?? this.#get(options);
    await shared.end(endLeft);
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
      start: async (signal) => this.#open(options, signal),
      onFree: () => this.#sessions.delete(id),
    });
    this.#sessions.set(id, shared);
    return shared;
  }
}

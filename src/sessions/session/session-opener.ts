import { untilAborted } from '../../shared/async/abort.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { inBackground } from '../../shared/async/background.ts';
import { Patience } from '../../shared/held-names/ask-holder.ts';
import type { ProgramChecker } from '../../languages/program-checker.ts';
import { closedError, explainStart, notPersistentError } from '../executor-errors.ts';
import type { AcquireOptions, SandboxExecutorOptions } from '../executor-options.ts';
import type { ExecutorWatch } from '../executor-watch.ts';
import { checkLabels } from '../keys-and-labels.ts';
import type { Labels } from '../../shared/labels.ts';
import type { SessionManager } from '../session-manager.ts';
import type { SandboxSupply } from '../supply/sandbox-supply.ts';
import { tenantOf } from '../tenants/tenants.ts';
import { SandboxSession } from './sandbox-session.ts';
import { sessionIdOf, SharedSession } from './shared-session.ts';

/** A session that was acquired. */
export interface AcquiredSession {
  readonly shared: SharedSession;
  readonly session: SandboxSession;
  /** Ends the use of the session by whoever acquired it. */
  readonly endUse: () => void;
}

/** What an executor opens sessions with. */
export interface SessionOpenerParts {
  readonly supply: SandboxSupply;
  readonly sessions: SessionManager;
  readonly watch: ExecutorWatch;
  /** Checks programs before they run. @default they are not checked */
  readonly checker: Promise<ProgramChecker> | undefined;
  /** Fires when the executor closes. */
  readonly closing: AbortSignal;
  /** Fires when `close` of the executor stops waiting, so that nothing else waits either. */
  readonly closed: AbortSignal;
}

/** Which session to open. */
interface OpenOptions {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: Labels;
  readonly persistent: boolean;
}

/** Opens the sessions of an executor, shares them between their users, and ends them. */
export class SessionOpener {
  readonly #options: SandboxExecutorOptions;
  readonly #parts: SessionOpenerParts;
  readonly #shared: Map<string, SharedSession> = new Map();
  /** Sessions whose sandboxes are starting. */
  readonly #opening: Set<Promise<unknown>> = new Set();

  constructor(options: SandboxExecutorOptions, parts: SessionOpenerParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /**
   * Returns a session that can be used now.
   * @param options - Valid ones.
   * @throws PtcError what `Executor.acquire` throws.
   */
  async acquire(options: AcquireOptions): Promise<AcquiredSession> {
    const { sessionKey: key, sessionWaitMs = 0, persistent = false, signal } = options;
    const { closing } = this.#parts;
    const labels = checkLabels(options.labels);
    const wanted = { id: sessionIdOf(key), key, labels, persistent };
    using either = new AnySignal(closing, signal);
    // From now on, so that the session is not evicted before the caller has it.
    const endUse = this.use(wanted.id);
    const patience = new Patience(sessionWaitMs);
    try {
      for (let tries = 1; ; tries += 1) {
        const shared = this.#sharedSession(wanted);
        // It may wait for room.
        const session = await patience.during(async () => shared.acquire(either.signal));
        if (session !== undefined) {
          session.touch();
          return { shared, session, endUse };
        }
        // Another process or executor has the key.
        await shared.ask(patience, either.signal, tries);
      }
    } catch (error) {
      endUse();
      throw explainStart(error, closing, signal);
    }
  }

  /** The session of a key; undefined if no usable session has it here. */
  find(key: string | undefined): SandboxSession | undefined {
    return key === undefined ? undefined : this.#parts.sessions.find(sessionIdOf(key));
  }

  /**
   * Keeps a session from being evicted or handed over until the returned function is called.
   * @param id - The id of the session, which need not exist yet.
   */
  use(id: string): () => void {
    const { sessions, supply } = this.#parts;
    const endUse = sessions.use(id);
    return () => {
      if (!endUse()) return;
      // Another process may wait for its key, and another caller for its room.
      this.#shared.get(id)?.offer();
      supply.reconsider();
    };
  }

  /**
   * Ends the session of a key, even if it is in use.
   * @param persistent - Also ends the sandbox that an earlier process left for it.
   * @throws PtcError `SESSION_HELD` if another process or executor uses the session, `CLOSED`, and
   * what `SandboxSupply.endLeft` throws.
   */
  async end(key: string, persistent: boolean): Promise<void> {
    const { closing, supply } = this.#parts;
    const id = sessionIdOf(key);
    const patience = new Patience(0);
    const endLeft = async (): Promise<void> => {
      if (persistent) await supply.endLeft(id, closing);
    };
    try {
      closing.throwIfAborted();
      for (let tries = 1; ; tries += 1) {
        const options = { id, key, labels: {}, persistent };
        const shared = this.#shared.get(id) ?? this.#sharedSession(options);
        if (await shared.end(endLeft)) return;
        await shared.ask(patience, closing, tries);
      }
    } catch (error) {
      throw closing.aborted ? closedError(error) : error;
    }
  }

  /** Ends all sessions because the executor closes. Persistent ones are left to the next process. */
  async leaveAll(): Promise<void> {
    const { sessions } = this.#parts;
    const left = sessions.leaveAll();
    await Promise.allSettled(this.#opening);
    await Promise.all([left, sessions.leaveAll()]);
    await Promise.all([...this.#shared.values()].map((shared) => shared.destroy()));
  }

  #sharedSession(options: OpenOptions): SharedSession {
    const { id, key, persistent } = options;
    const known = this.#shared.get(id);
    if (known !== undefined && (known.persistent || !persistent)) return known;
    if (known !== undefined) throw notPersistentError(key);
    const shared = new SharedSession({
      id,
      key,
      persistent,
      start: async (...how) => this.#open(options, ...how),
      isUsed: () => this.#parts.sessions.isUsed(id),
      onFree: () => {
        if (this.#shared.get(id) === shared) this.#shared.delete(id);
      },
    });
    this.#shared.set(id, shared);
    return shared;
  }

  /** The start of a `SharedSession`. */
  async #open(
    options: OpenOptions,
    unwanted: AbortSignal,
    hold: () => Promise<boolean>,
  ): Promise<SandboxSession | undefined> {
    const { closing, closed } = this.#parts;
    using either = new AnySignal(closing, unwanted);
    const opening = this.#start(options, either.signal, hold);
    this.#opening.add(opening);
    try {
      await untilAborted(opening, closed);
      if (closing.aborted) throw closedError();
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  async #start(
    { id, key, labels, persistent }: OpenOptions,
    signal: AbortSignal,
    hold: () => Promise<boolean>,
  ): Promise<SandboxSession | undefined> {
    const { supply, sessions, watch, closing } = this.#parts;
    const checker = await this.#parts.checker;
    const { audit, fairBy, sessionIdleTimeoutMs: timeoutMs = 270_000 } = this.#options;
    const began = performance.now();
    const tenant = tenantOf(labels, fairBy);
    const sandbox = persistent
      ? await supply.takePersistent(signal, { tenant, hold, sessionId: id })
      : await supply.take(signal, { tenant, hold, ...(key === undefined && { sessionId: id }) });
    if (sandbox === undefined) return undefined;
    const startDurationMs = performance.now() - began;
    const about = { id, key, labels, tenant, timeoutMs, startDurationMs, audit, checker };
    const session = new SandboxSession(sandbox, about);
    sessions.add(session);
    watch.follow(session);
    if (closing.aborted) inBackground(session.leave('left'));
    return session;
  }
}

import { setMaxListeners } from 'node:events';
import type { ExecutionResult } from '../execution/execution.ts';
import { TypeChecker } from '../languages/type-check/type-checker.ts';
import { untilAborted } from '../shared/abort.ts';
import { inBackground } from '../shared/background.ts';
import { PolicyGate } from '../tools/policy-gate.ts';
import { ToolRegistry } from '../tools/registry.ts';
import { closedError, explainStart, notPersistentError } from './executor-errors.ts';
import { checkDelay, checkExecutorOptions, checkLabels } from './executor-options.ts';
import type {
  AcquireOptions,
  ExecuteOptions,
  SandboxExecutorOptions,
  SessionExecuteOptions,
  SessionLabels,
} from './executor-options.ts';
import { KeyedSession, sessionIdOf } from './keyed-session.ts';
import { chooseLanguage } from './language-choice.ts';
import { SandboxSupply } from './sandbox-supply.ts';
import { Session } from './session.ts';
import { SessionHandle } from './session-handle.ts';
import type { SessionInfo } from './session-info.ts';
import { SessionManager } from './session-manager.ts';

/** How long `close` waits for sandboxes to be gone. */
const CLOSE_DEADLINE_MS = 1900;

/** A session for one run, and what ends its use. */
interface Use {
  readonly session: Session;
  readonly end: () => void;
}

interface OpenOptions {
  /** @default the sandbox's own */
  readonly id?: string;
  readonly key?: string;
  readonly labels?: SessionLabels | undefined;
  /** @default false */
  readonly persistent?: boolean;
  /** Runs before anybody else can see the session. */
  readonly onOpen?: (id: string) => void;
}

/** Runs code in sandboxes: the low-level entry, without a model. */
export class SandboxExecutor implements AsyncDisposable {
  readonly tools: ToolRegistry;
  readonly #options: SandboxExecutorOptions;
  readonly #policy: PolicyGate | undefined;
  readonly #supply: SandboxSupply;
  readonly #sessions: SessionManager;
  readonly #checker: TypeChecker | undefined;
  readonly #keyed: Map<string, KeyedSession> = new Map();
  readonly #closing: AbortController = new AbortController();
  /** Fires when `close` no longer waits: nothing else does then. */
  readonly #closed: AbortController = new AbortController();
  /** Sessions whose sandboxes start. */
  readonly #opening: Set<Promise<Session>> = new Set();
  #cleanupTimer: NodeJS.Timeout | undefined;

  /** @throws PtcError `OPTION_INVALID` for an option that cannot be what it is given for, `TYPE_CHECKER_MISSING`. */
  constructor(options: SandboxExecutorOptions = {}) {
    checkExecutorOptions(options);
    // Every start under way listens to them.
    setMaxListeners(0, this.#closing.signal, this.#closed.signal);
    this.#options = options;
    this.tools = options.tools ?? new ToolRegistry();
    if (options.typeCheck === true) this.#checker = new TypeChecker(options.onProgress);
    this.#policy = PolicyGate.from(options.policy, this.tools);
    this.#sessions = new SessionManager(() => this.#supply.reconsider());
    this.#supply = new SandboxSupply(options, () => this.#sessions.evict());
  }

  /**
   * Runs code. What goes wrong in the code is in the result; only faults of the host are thrown.
   * @throws PtcError `SESSION_NOT_FOUND`, `SESSION_EXPIRED`, `SANDBOX_UNAVAILABLE`, `SANDBOX_LIMIT`,
   * `SANDBOX_START_FAILED`, `IMAGE_UNAVAILABLE`, `CLOSED`, `OPTION_INVALID`, or `ABORTED` where the
   * signal fires before the code starts.
   */
  async execute(code: string, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    checkDelay('timeoutMs', options.timeoutMs ?? 1);
    chooseLanguage(this.#options.languages, options.language);
    const labels = checkLabels(options.labels);
    const { session, end } = await this.#useFor({ ...options, labels });
    const keep = options.reuseSession === true || options.sessionId !== undefined;
    try {
      return await this.#run(session, code, options);
    } finally {
      const closed = keep ? undefined : this.#sessions.close(session.id);
      // Who aborts need not wait until it is gone: `close` does.
      const { aborted = false } = options.signal ?? {};
      if (closed && !aborted) await untilAborted(closed, this.#closed.signal);
      end();
    }
  }

  /**
   * Takes the session of a key, such as a user's or a conversation's: the one that is there, with its
   * state, or a new one. On one machine only one process at a time has it.
   * @throws PtcError `SESSION_HELD` where another process or executor has it for longer than `waitMs`,
   * `PERSISTENCE_UNSUPPORTED`, `SANDBOX_LOST` where a persistent one could not be taken over, and as `execute`.
   */
  async acquire(key: string, options: AcquireOptions = {}): Promise<SessionHandle> {
    const { waitMs = 0, persistent = false } = options;
    const labels = checkLabels(options.labels);
    if (waitMs !== 0) checkDelay('waitMs', waitMs);
    const deadline = performance.now() + waitMs;
    const signal = this.#anySignal(options.signal);
    this.startCleanupTask();
    // From now on, so that it is not evicted before the caller has it.
    const endUse = this.#sessions.use(sessionIdOf(key));
    try {
      for (let tries = 1; ; tries += 1) {
        const keyed = this.#keyedSession(key, persistent, labels);
        const session = await keyed.acquire(signal);
        if (session !== undefined) return this.#handle(keyed, session, endUse);
        await keyed.waitUntilFree(deadline, signal, tries);
      }
    } catch (error) {
      endUse();
      throw explainStart(error, this.#closing.signal, options.signal);
    }
  }

  /** What is known of a session; undefined where there is none that could be used. */
  getSession(id: string): SessionInfo | undefined {
    return this.activeSessions.find((session) => session.id === id);
  }

  /** All sessions that can be used. */
  get activeSessions(): SessionInfo[] {
    return this.#sessions.list();
  }

  /** Ends a session and returns when its sandbox is gone; false where there is none of this id. */
  async closeSession(id: string): Promise<boolean> {
    return this.#sessions.close(id);
  }

  async closeAllSessions(): Promise<void> {
    await this.#sessions.closeAll();
  }

  /** Looks for expired sessions from now on; the first reusable session starts it by itself. */
  startCleanupTask(): void {
    if (this.#closing.signal.aborted) throw closedError();
    this.#cleanupTimer ??= setInterval(() => {
      this.#sessions.closeExpired();
      inBackground(this.#supply.tidy());
    }, this.#options.cleanupIntervalMs ?? 60_000).unref();
  }

  stopCleanupTask(): void {
    clearInterval(this.#cleanupTimer);
    this.#cleanupTimer = undefined;
  }

  /**
   * Waits until the pool's sandboxes stand ready; without a pool, until the sandbox is chosen.
   * @throws PtcError why one did not start, `SANDBOX_LIMIT` where there is no room, or `CLOSED`.
   */
  async warmUp(): Promise<void> {
    this.startCleanupTask();
    await Promise.all([this.#supply.warmUp(), this.#checker?.warmUp()]);
  }

  /**
   * The name of the sandbox that is used, such as `docker`; chosen now if it was not yet.
   * @throws PtcError `SANDBOX_UNAVAILABLE`.
   */
  async sandboxName(): Promise<string> {
    return (await this.#supply.provider()).name;
  }

  /**
   * Ends everything, programs under way included, and returns within two seconds. Persistent sessions
   * are left to the next process. The executor cannot be used again.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.stopCleanupTask();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), CLOSE_DEADLINE_MS);
    await untilAborted(this.#end(), deadline.signal);
    clearTimeout(timer);
    this.#closed.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<void> {
    const sessions = this.#sessions.leaveAll();
    await Promise.allSettled(this.#opening);
    await Promise.all([sessions, this.#sessions.leaveAll()]);
    await Promise.all([...this.#keyed.values()].map((keyed) => keyed.destroy()));
    await Promise.all([this.#supply.close(), this.#checker?.close()]);
  }

  async #run(
    session: Session,
    code: string,
    options: SessionExecuteOptions,
  ): Promise<ExecutionResult> {
    const { timeoutMs = this.#options.timeoutMs ?? 60_000, signal, onEvent } = options;
    checkDelay('timeoutMs', timeoutMs);
    const end = this.#sessions.use(session.id);
    try {
      const language = chooseLanguage(this.#options.languages, options.language);
      const about = { language, tools: this.tools.snapshot(), policy: this.#policy };
      return await session.execute(code, { ...about, timeoutMs, signal, onEvent });
    } finally {
      end();
    }
  }

  async #useFor(options: ExecuteOptions): Promise<Use> {
    const { sessionId, reuseSession, labels, signal } = options;
    if (this.#closing.signal.aborted) throw closedError();
    if (sessionId !== undefined) {
      try {
        const session = this.#sessions.get(sessionId);
        return { session, end: this.#sessions.use(sessionId) };
      } catch (error) {
        if (reuseSession !== true) throw error;
      }
    }
    if (reuseSession === true || this.#options.pool !== undefined) this.startCleanupTask();
    let end: Use['end'] = () => {};
    try {
      const onOpen = (id: string): void => {
        end = this.#sessions.use(id);
      };
      const session = await this.#open(this.#anySignal(signal), { labels, onOpen });
      return { session, end };
    } catch (error) {
      end();
      throw explainStart(error, this.#closing.signal, signal);
    }
  }

  async #open(signal: AbortSignal, options: OpenOptions): Promise<Session> {
    const { id, key, labels, persistent = false, onOpen } = options;
    const taking =
      persistent && id !== undefined
        ? this.#supply.takePersistent(id, signal)
        : this.#supply.take(signal);
    const opening = taking.then((sandbox) => {
      const { sessionTimeoutMs: timeoutMs = 270_000, audit } = this.#options;
      const about = { id, key, labels, timeoutMs, audit, checker: this.#checker };
      const session = new Session(sandbox, about);
      onOpen?.(session.id);
      this.#sessions.add(session);
      if (this.#closing.signal.aborted) inBackground(session.leave());
      return session;
    });
    this.#opening.add(opening);
    try {
      await untilAborted(opening, this.#closed.signal);
      if (this.#closing.signal.aborted) throw closedError();
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  #keyedSession(key: string, persistent: boolean, labels: SessionLabels): KeyedSession {
    const known = this.#keyed.get(key);
    if (known !== undefined && (known.persistent || !persistent)) return known;
    if (known !== undefined) throw notPersistentError(key);
    const keyed = new KeyedSession(
      key,
      persistent,
      (id, signal) => this.#open(this.#anySignal(signal), { id, key, labels, persistent }),
      () => this.#keyed.delete(key),
    );
    this.#keyed.set(key, keyed);
    return keyed;
  }

  #handle(keyed: KeyedSession, session: Session, endUse: () => void): SessionHandle {
    session.touch();
    return new SessionHandle(keyed, {
      find: (id) => this.#sessions.get(id),
      run: (found, code, options) => this.#run(found, code, options),
      signal: this.#closing.signal,
      endUse,
    });
  }

  #anySignal(signal: AbortSignal | undefined): AbortSignal {
    const { signal: closing } = this.#closing;
    return signal ? AbortSignal.any([closing, signal]) : closing;
  }
}

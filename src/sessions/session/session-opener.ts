import { setMaxListeners } from 'node:events';
import { loadTypeChecker } from '../../languages/load-type-checker.ts';
import type { ProgramChecker } from '../../languages/program-checker.ts';
import type { SandboxSoftware } from '../../sandbox/software/software.ts';
import { untilAborted } from '../../shared/async/abort.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { inBackground } from '../../shared/async/background.ts';
import { ownLoopTurn, timeInLoopTurn } from '../../shared/async/event-loop-work.ts';
import { Patience } from '../../shared/held-names/ask-holder.ts';
import { toolSetOf } from '../../tools/registry/tools-option.ts';
import type { CheckLevel } from '../../tools/tool.ts';
import { closedError, explainStart } from '../executor-errors.ts';
import type { AcquireOptions, SandboxExecutorOptions } from '../options/executor-options.ts';
import { ExecutorWatch, type ExecutorStats } from '../executor-watch.ts';
import { checkLabels } from '../options/keys-and-labels.ts';
import { SessionManager } from '../session-manager.ts';
import { SandboxSupply } from '../supply/sandbox-supply.ts';
import { ProgramQuotas } from '../tenants/program-quotas.ts';
import { tenantOf } from '../tenants/tenants.ts';
import type { ProgramDefaults } from './program.ts';
import { SessionHandle } from './session-handle.ts';
import { SessionUse } from './session-use.ts';
import { sessionIdOf, SharedSession } from './shared-session.ts';

/** How long `close` waits until sandboxes are gone. */
const CLOSE_DEADLINE_MS = 1900;

/** Opens the sessions of an executor, shares them between their users, and ends them. */
export class SessionOpener {
  readonly supply: SandboxSupply;
  /** Those that are open. */
  readonly sessions: SessionManager = new SessionManager();
  readonly #options: SandboxExecutorOptions;
  readonly #defaults: ProgramDefaults;
  readonly #checkResults: CheckLevel;
  readonly #watch: ExecutorWatch;
  readonly #quotas: ProgramQuotas;
  readonly #checker: Promise<ProgramChecker> | undefined;
  readonly #shared: Map<string, SharedSession> = new Map();
  /** The requests that wait for a session. */
  readonly #waiting: Set<AnySignal> = new Set();
  readonly #closing: AbortController = new AbortController();
  /** Fires when `close` stops waiting, so that nothing else waits either. */
  readonly #closed: AbortController = new AbortController();
  #cleanupTimer: NodeJS.Timeout | undefined;

  /**
   * @param options - Valid ones, whose functions do not throw.
   * @throws PtcError `TYPE_CHECKER_MISSING`
   */
  constructor(
    options: SandboxExecutorOptions,
    defaults: ProgramDefaults & { readonly checkResults: CheckLevel },
  ) {
    const { checkTypes = 'off', onProgress, onExecutorEvent } = options;
    this.#options = options;
    this.#defaults = defaults;
    this.#checkResults = defaults.checkResults;
    // Every start in progress listens to them.
    setMaxListeners(0, this.#closing.signal, this.#closed.signal);
    this.#checker =
      checkTypes === 'off' ? undefined : loadTypeChecker(onProgress, checkTypes === 'warn');
    this.#watch = new ExecutorWatch(onExecutorEvent);
    this.#quotas = new ProgramQuotas(options);
    this.supply = new SandboxSupply(options, this.#watch, this.sessions, this.#closing.signal);
  }

  get stats(): ExecutorStats {
    return { ...this.supply.stats, ...this.sessions.counts, ...this.#watch.counts };
  }

  /** Fires when `close` stops waiting. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /**
   * Returns a session that can be used now.
   * @param options - Valid ones.
   * @throws PtcError what `Executor.acquire` throws.
   */
  async acquire(options: AcquireOptions): Promise<SessionHandle> {
    const tools = options.tools === undefined ? this.#defaults.tools : toolSetOf(options.tools);
    const use = await this.begin(options, false);
    use.endWait();
    const { sessions } = this;
    const { signal: closing } = this.#closing;
    const [defaults, quotas] = [this.#defaults, this.#quotas];
    return new SessionHandle(use, { sessions, defaults, quotas, tools, closing });
  }

  /**
   * Begins a use of a session that can be used now. The request counts as waiting until then, or
   * until the program begins that it is for.
   * @param options - Valid ones.
   * @throws PtcError what `Executor.acquire` throws.
   */
  async begin(options: AcquireOptions, isForProgram: boolean): Promise<SessionUse> {
    const { sessionKey: key, signal } = options;
    const open = key === undefined ? undefined : this.sessions.find(sessionIdOf(key));
    // Those of its session if it names none.
    const labels = checkLabels(options.labels ?? open?.labels);
    const request = { labels, sessionId: open?.id, signal };
    const endWait = await this.#quotas.count(request, isForProgram);
    try {
      // Thousands may come at once, and to open a session takes a fraction of a millisecond.
      const turn = timeInLoopTurn(tenantOf(labels, this.#options.fairBy));
      if (turn !== undefined) await turn;
      return new SessionUse({ ...(await this.#begin(options)), endWait });
    } catch (error) {
      endWait();
      throw error;
    }
  }

  async #begin(options: AcquireOptions): Promise<Pick<SessionUse, 'shared' | 'session' | 'end'>> {
    const { sessionKey: key, sessionWaitMs = 0, persistent = false, signal } = options;
    this.#startCleanup();
    const wanted = { labels: checkLabels(options.labels), persistent };
    const id = sessionIdOf(key);
    using wait = new AnySignal(signal);
    this.#waiting.add(wait);
    // From now on, so that the session is not evicted before the caller has it.
    const end = this.#use(id);
    const patience = new Patience(sessionWaitMs);
    try {
      for (let tries = 1; ; tries += 1) {
        const shared = this.#sharedSession(id, key);
        // It may wait for room.
        const session = await patience.during(async () => shared.acquire(wanted, wait.signal));
        if (session !== undefined) {
          session.touch();
          return { shared, session, end };
        }
        // Another process or executor has the key.
        await shared.ask(patience, wait.signal, tries);
      }
    } catch (error) {
      end();
      throw explainStart(error, this.#closing.signal, signal);
    } finally {
      this.#waiting.delete(wait);
    }
  }

  /**
   * Keeps a session from being evicted or handed over until the returned function is called.
   * @param id - The id of the session, which need not exist yet.
   */
  #use(id: string): () => void {
    const endUse = this.sessions.use(id);
    return () => {
      if (!endUse()) return;
      // Another process may wait for its key, and another caller for its room.
      this.#shared.get(id)?.offer();
      this.supply.reconsider();
    };
  }

  #sharedSession(id: string, key: string | undefined): SharedSession {
    const known = this.#shared.get(id);
    if (known !== undefined) return known;
    const parts = {
      options: this.#options,
      supply: this.supply,
      sessions: this.sessions,
      watch: this.#watch,
      quotas: this.#quotas,
      checkResults: this.#checkResults,
      checker: this.#checker,
      closing: this.#closing.signal,
      closed: this.#closed.signal,
      use: (used: string) => this.#use(used),
    };
    const shared: SharedSession = new SharedSession({ id, key }, parts, () => {
      if (this.#shared.get(id) === shared) this.#shared.delete(id);
      // Only now: after a reset, its only user still uses it.
      if (key === undefined) this.sessions.forgetUses(id);
    });
    this.#shared.set(id, shared);
    return shared;
  }

  /** Ends a session, if one has this id, even if it is in use, and resolves when its sandbox is gone. */
  async endById(id: string): Promise<void> {
    await Promise.all([this.sessions.close(id), this.#shared.get(id)?.endReset()]);
  }

  /** As `endById`, for all sessions. */
  async endAll(): Promise<void> {
    const resets = [...this.#shared.values()].map(async (shared) => shared.endReset());
    await Promise.all([this.sessions.closeAll(), ...resets]);
  }

  /**
   * Ends the session of a key, even if it is in use.
   * @param persistent - Also ends the sandbox that an earlier process left for it.
   * @throws PtcError `SESSION_HELD` if another process or executor uses the session, `CLOSED`, and
   * what `SandboxSupply.endLeft` throws.
   */
  async end(key: string, persistent: boolean): Promise<void> {
    const { signal: closing } = this.#closing;
    const id = sessionIdOf(key);
    const patience = new Patience(0);
    const endLeft = async (): Promise<void> => {
      if (persistent) await this.supply.endLeft(id, closing);
    };
    try {
      closing.throwIfAborted();
      for (let tries = 1; ; tries += 1) {
        const shared = this.#sharedSession(id, key);
        if (await shared.end(endLeft)) return;
        await shared.ask(patience, closing, tries);
      }
    } catch (error) {
      throw closing.aborted ? closedError(error) : error;
    }
  }

  /** Closes expired sessions regularly from now on. */
  #startCleanup(): void {
    if (this.#closing.signal.aborted) throw closedError();
    const { cleanupIntervalMs = 60_000 } = this.#options;
    this.#cleanupTimer ??= setInterval(() => {
      this.sessions.closeExpired();
      inBackground(this.supply.tidy());
    }, cleanupIntervalMs).unref();
  }

  /**
   * What the provider says of its sandboxes: undefined if it tells nothing.
   * @throws PtcError what `SandboxSupply.provider` and `SandboxProvider.software` throw, or `CLOSED`.
   */
  async software(): Promise<SandboxSoftware | undefined> {
    const { signal } = this.#closing;
    try {
      const provider = await this.supply.provider();
      return await provider.software?.({ signal });
    } catch (error) {
      throw explainStart(error, signal, undefined);
    }
  }

  /** As `SandboxExecutor.warmUp`. */
  async warmUp(): Promise<void> {
    this.#startCleanup();
    await Promise.all([this.supply.warmUp(), this.#checker?.then((checker) => checker.warmUp())]);
  }

  /**
   * Ends all sessions and returns within two seconds. Persistent ones are left to the next process.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#cleanupTimer);
    const timer = setTimeout(() => this.#closed.abort(), CLOSE_DEADLINE_MS);
    await untilAborted(this.#end(), this.closed);
    clearTimeout(timer);
    this.#closed.abort();
  }

  async #end(): Promise<void> {
    const { sessions } = this;
    const left = sessions.leaveAll();
    await this.#refuseWaiting();
    // Each waits for its start, if one is in progress, which may have opened another session.
    await Promise.all([...this.#shared.values()].map((shared) => shared.destroy()));
    await Promise.all([left, sessions.leaveAll()]);
    await Promise.all([this.supply.close(), this.#checker?.then((checker) => checker.close())]);
  }

  /** Each in its own turn of the event loop: that takes a fraction of a millisecond, and there may be thousands. */
  async #refuseWaiting(): Promise<void> {
    for (const wait of this.#waiting) {
      wait.abort(this.#closing.signal.reason);
      await ownLoopTurn();
    }
  }
}

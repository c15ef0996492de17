import { setMaxListeners } from 'node:events';
import type { ExecutionResult } from '../execution/execution.ts';
import { TypeChecker } from '../languages/type-check/type-checker.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { ResourceLimits } from '../sandbox/sandbox.ts';
import { untilAborted } from '../shared/async/abort.ts';
import { AnySignal } from '../shared/async/any-signal.ts';
import { inBackground } from '../shared/async/background.ts';
import type { AuditLog } from '../audit/entry.ts';
import type { PolicyOptions } from '../tools/policy/policy-gate.ts';
import { ToolRegistry, type ToolSet } from '../tools/registry.ts';
import type { ResultChecks, RunArgument } from '../tools/tool.ts';
import type { Executor, Session } from './executor.ts';
import { closedError, explainStart } from './executor-errors.ts';
import {
  checkAcquireNames,
  checkCloseOptions,
  checkExecuteOptions,
  checkNewExecutor,
  programOptions,
} from './option-names.ts';
import { checkKeyText, checkLabels } from './keys-and-labels.ts';
import {
  type AcquireOptions,
  checkAcquireOptions,
  type ExecuteOptions,
  type SandboxExecutorOptions,
} from './executor-options.ts';
import { ExecutorWatch, type ExecutorStats } from './executor-watch.ts';
import { chooseLanguage, DEFAULT_LANGUAGES } from './language-choice.ts';
import { resultChecks } from './result-checks.ts';
import { ProgramRunner } from './session/program-runner.ts';
import { SandboxSession } from './session/sandbox-session.ts';
import { SandboxSupply } from './supply/sandbox-supply.ts';
import { tenantOf } from './tenants/tenants.ts';
import { SessionHandle } from './session/session-handle.ts';
import type { SessionInfo } from './session/session-info.ts';
import { SessionManager } from './session-manager.ts';
import { sessionIdOf } from './session/shared-session.ts';
import {
  type AcquiredSession,
  type OpenOptions,
  SharedSessions,
} from './session/shared-sessions.ts';

/** How long `close` waits until sandboxes are gone. */
const CLOSE_DEADLINE_MS = 1900;

/** Runs programs in sandboxes on this machine, without a model. */
export class SandboxExecutor<Context = never> implements Executor<Context> {
  readonly tools: ToolRegistry<Context>;
  readonly policy: PolicyOptions | undefined;
  readonly fairBy: string | undefined;
  readonly audit: AuditLog | undefined;
  readonly languages: readonly LanguageName[];
  readonly limits: ResourceLimits;
  readonly timeoutMs: number;
  readonly checkResults: ResultChecks;
  readonly #options: SandboxExecutorOptions;
  readonly #watch: ExecutorWatch;
  readonly #programs: ProgramRunner;
  readonly #supply: SandboxSupply;
  readonly #sessions: SessionManager;
  readonly #checker: TypeChecker | undefined;
  readonly #shared: SharedSessions;
  readonly #closing: AbortController = new AbortController();
  /** Fires when `close` stops waiting, so that nothing else waits either. */
  readonly #closed: AbortController = new AbortController();
  /** Sessions whose sandboxes are starting. */
  readonly #opening: Set<Promise<unknown>> = new Set();
  #cleanupTimer: NodeJS.Timeout | undefined;

  /**
   * @throws PtcError `OPTION_INVALID` for a value that an option cannot have,
   * `TYPE_CHECKER_MISSING`.
   */
  constructor(options: SandboxExecutorOptions<Context> = {}) {
    checkNewExecutor(options);
    // Every start in progress listens to them.
    setMaxListeners(0, this.#closing.signal, this.#closed.signal);
    this.#options = options;
    this.tools = options.tools ?? new ToolRegistry();
    this.policy = options.policy;
    this.fairBy = options.fairBy;
    this.audit = options.audit;
    this.checkResults = resultChecks(options.checkResults);
    this.languages = Object.freeze([...(options.languages ?? DEFAULT_LANGUAGES)]);
    this.timeoutMs = options.timeoutMs ?? 60_000;
    const { typeCheck = false, onProgress } = options;
    if (typeCheck) this.#checker = new TypeChecker(onProgress, typeCheck === 'advise');
    this.#watch = new ExecutorWatch(options.onExecutorEvent);
    this.#sessions = new SessionManager((id) => {
      this.#shared.offer(id);
      this.#supply.reconsider();
    });
    this.#shared = new SharedSessions(this.#open.bind(this), this.#sessions);
    this.#programs = new ProgramRunner(options, this, this.#sessions);
    this.#supply = new SandboxSupply(options, this.#watch, (need) => this.#sessions.evict(need));
    this.limits = this.#supply.limits;
  }

  async execute(
    code: string,
    ...[options = {}]: RunArgument<ExecuteOptions, Context>
  ): Promise<ExecutionResult> {
    checkExecuteOptions(code, options);
    chooseLanguage(this.languages, options.language);
    checkAcquireOptions(options);
    await this.#programs.begin(options, sessionIdOf(options.key));
    const session = await this.#acquire(options, true);
    try {
      return await session.execute(code, programOptions(options));
    } finally {
      const released = session.release();
      // A caller that aborts need not wait until the sandbox is gone: `close` does.
      if (options.signal?.aborted === true) inBackground(released);
      else await untilAborted(released, this.#closed.signal);
    }
  }

  async acquire<Own = Context>(options: AcquireOptions<Own> = {}): Promise<Session<Own>> {
    checkAcquireNames(options);
    return this.#acquire(options);
  }

  /** @param isCounted - Whether the quotas count its program already. */
  async #acquire<Own = Context>(
    options: AcquireOptions<Own>,
    isCounted = false,
  ): Promise<Session<Own>> {
    const { key, waitMs = 0, persistent = false, signal } = options;
    checkAcquireOptions(options);
    const labels = checkLabels(options.labels);
    using anySignal = new AnySignal(this.#closing.signal, signal);
    this.startCleanupTask();
    const id = sessionIdOf(key);
    // From now on, so that the session is not evicted before the caller has it.
    const endUse = this.#sessions.use(id);
    try {
      const wanted = { id, key, labels, persistent };
      const acquired = await this.#shared.acquire(wanted, waitMs, anySignal.signal);
      return this.#handle(acquired, { tools: options.tools, endUse, isCounted });
    } catch (error) {
      endUse();
      throw explainStart(error, this.#closing.signal, signal);
    }
  }

  /** What the executor is doing now, and what it has done. */
  stats(): ExecutorStats {
    return { ...this.#supply.stats, ...this.#sessions.counts, ...this.#watch.counts };
  }

  async inspectSessionOf(key: string): Promise<SessionInfo | undefined> {
    checkKeyText('key', key);
    return this.#sessions.find(sessionIdOf(key))?.measuredInfo();
  }

  /** A usable session, without the memory of its sandbox; undefined if there is none with this id. */
  getSession(id: string): SessionInfo | undefined {
    return this.#sessions.find(id)?.info();
  }

  /** All sessions that can be used. */
  get activeSessions(): SessionInfo[] {
    return this.#sessions.list();
  }

  async closeSession(id: string): Promise<boolean> {
    return this.#sessions.close(id);
  }

  async closeSessionOf(
    key: string,
    options: { readonly persistent?: boolean } = {},
  ): Promise<void> {
    checkCloseOptions(key, options);
    const { persistent = false } = options;
    const { signal } = this.#closing;
    const id = sessionIdOf(key);
    await this.#shared.end({ id, key, labels: {}, persistent }, signal, async () => {
      if (persistent) await this.#supply.endLeft(id, signal);
    });
  }

  async closeAllSessions(): Promise<void> {
    await this.#sessions.closeAll();
  }

  /** Starts to close expired sessions regularly. Acquiring a session starts this as well. */
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
   * Waits until the pool's sandboxes are ready, or without a pool, until the provider is chosen.
   * @throws PtcError the reason why a sandbox did not start, `SANDBOX_LIMIT` if there is no room,
   * or `CLOSED`.
   */
  async warmUp(): Promise<void> {
    this.startCleanupTask();
    await Promise.all([this.#supply.warmUp(), this.#checker?.warmUp()]);
  }

  /**
   * The name of the provider, such as `docker`. It is chosen now if it was not chosen before.
   * @throws PtcError `SANDBOX_UNAVAILABLE`.
   */
  async providerName(): Promise<string> {
    return (await this.#supply.provider()).name;
  }

  /**
   * Ends all sessions and their programs, and returns within two seconds. Persistent sessions are
   * left to the next process. The executor cannot be used again.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.stopCleanupTask();
    const timer = setTimeout(() => this.#closed.abort(), CLOSE_DEADLINE_MS);
    await untilAborted(this.#end(), this.#closed.signal);
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
    await this.#shared.endAll();
    await Promise.all([this.#supply.close(), this.#checker?.close()]);
  }

  async #open(
    { id, key, labels, persistent }: OpenOptions,
    unwanted: AbortSignal,
    hold: () => Promise<boolean>,
  ): Promise<SandboxSession | undefined> {
    using either = new AnySignal(this.#closing.signal, unwanted);
    const began = performance.now();
    const tenant = tenantOf(labels, this.fairBy);
    const need = { tenant, hold };
    const taking = persistent
      ? this.#supply.takePersistent(either.signal, { ...need, sessionId: id })
      : this.#supply.take(either.signal, { ...need, ...(key === undefined && { sessionId: id }) });
    const opening = taking.then((sandbox) => {
      if (sandbox === undefined) return undefined;
      const { idleTimeoutMs: timeoutMs = 270_000 } = this.#options;
      const { audit, checkResults } = this;
      const about = { id, key, labels, tenant, timeoutMs, audit, checkResults };
      const start = { startMs: performance.now() - began, checker: this.#checker };
      const session = new SandboxSession(sandbox, { ...about, ...start });
      this.#sessions.add(session);
      this.#watch.follow(session);
      if (this.#closing.signal.aborted) inBackground(session.leave('left'));
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

  #handle(
    { shared, session }: AcquiredSession,
    {
      tools = this.tools,
      endUse,
      isCounted,
    }: { tools: ToolSet | undefined; endUse: () => void; isCounted: boolean },
  ): Session {
    session.touch();
    return new SessionHandle(shared, session, {
      find: (id) => this.#sessions.get(id),
      run: async (found, code, options) => {
        const withTools = { ...options, tools: options.tools ?? tools };
        return this.#programs.run(found, { code, options: withTools, isCounted });
      },
      signal: this.#closing.signal,
      endUse,
    });
  }
}

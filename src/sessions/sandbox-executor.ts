import { setMaxListeners } from 'node:events';
import type { ExecutionResult } from '../execution/execution.ts';
import { loadTypeChecker } from '../languages/load-type-checker.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { ResourceLimits } from '../sandbox/sandbox.ts';
import { untilAborted } from '../shared/async/abort.ts';
import { inBackground } from '../shared/async/background.ts';
import type { AuditLog } from '../audit/entry.ts';
import type { PolicyOptions } from '../tools/policy/policy-gate.ts';
import { toolSetOf, type ToolSet } from '../tools/registry.ts';
import type { CheckLevel, OptionsArgument } from '../tools/tool.ts';
import type { Executor, Session, SessionName, SessionToClose } from './executor.ts';
import { closedError } from './executor-errors.ts';
import {
  checkAcquire,
  checkExecute,
  checkNewExecutor,
  checkSessionName,
  checkSessionToClose,
} from './option-names.ts';
import { guardedOptions } from './guarded-options.ts';
import type { AcquireOptions, ExecuteOptions, SandboxExecutorOptions } from './executor-options.ts';
import { ExecutorWatch, type ExecutorStats } from './executor-watch.ts';
import { DEFAULT_LANGUAGES } from './language-choice.ts';
import { resultChecks } from './result-checks.ts';
import { ProgramRunner } from './session/program-runner.ts';
import { SandboxSupply } from './supply/sandbox-supply.ts';
import { SessionHandle } from './session/session-handle.ts';
import type { SessionInfo } from './session/session-info.ts';
import { SessionManager } from './session-manager.ts';
import { sessionIdOf } from './session/shared-session.ts';
import { SessionOpener } from './session/session-opener.ts';

/** How long `close` waits until sandboxes are gone. */
const CLOSE_DEADLINE_MS = 1900;

/** Runs programs in sandboxes on this machine, without a model. */
export class SandboxExecutor<Context = never> implements Executor<Context> {
  readonly tools: ToolSet<Context>;
  readonly policy: PolicyOptions | undefined;
  readonly fairBy: string | undefined;
  readonly audit: AuditLog | undefined;
  readonly languages: readonly LanguageName[];
  readonly limits: ResourceLimits;
  readonly programTimeoutMs: number;
  readonly checkResults: CheckLevel;
  readonly #cleanupIntervalMs: number;
  readonly #watch: ExecutorWatch;
  readonly #sessions: SessionManager = new SessionManager();
  readonly #supply: SandboxSupply;
  readonly #checker: ReturnType<typeof loadTypeChecker> | undefined;
  readonly #opener: SessionOpener;
  readonly #programs: ProgramRunner;
  readonly #closing: AbortController = new AbortController();
  /** Fires when `close` stops waiting, so that nothing else waits either. */
  readonly #closed: AbortController = new AbortController();
  #cleanupTimer: NodeJS.Timeout | undefined;

  /**
   * @throws PtcError `OPTION_INVALID` for a value that an option cannot have,
   * `TYPE_CHECKER_MISSING`.
   */
  constructor(options: SandboxExecutorOptions<Context> = {}) {
    checkNewExecutor(options);
    const { signal: closing } = this.#closing;
    const { signal: closed } = this.#closed;
    // Every start in progress listens to them.
    setMaxListeners(0, closing, closed);
    const guarded = guardedOptions(options);
    this.audit = guarded.audit;
    this.tools = toolSetOf(options.tools ?? []);
    this.policy = options.policy;
    this.fairBy = options.fairBy;
    this.checkResults = resultChecks(options.checkResults);
    this.languages = Object.freeze([...(options.languages ?? DEFAULT_LANGUAGES)]);
    this.programTimeoutMs = options.programTimeoutMs ?? 60_000;
    const { checkTypes = 'off', onProgress, cleanupIntervalMs = 60_000 } = guarded;
    this.#cleanupIntervalMs = cleanupIntervalMs;
    this.#checker =
      checkTypes === 'off' ? undefined : loadTypeChecker(onProgress, checkTypes === 'warn');
    this.#watch = new ExecutorWatch(guarded.onExecutorEvent);
    this.#supply = new SandboxSupply(guarded, this.#watch, this.#sessions);
    this.limits = this.#supply.limits;
    const parts = { supply: this.#supply, sessions: this.#sessions, watch: this.#watch };
    this.#opener = new SessionOpener(guarded, {
      ...parts,
      checker: this.#checker,
      closing,
      closed,
    });
    this.#programs = new ProgramRunner(guarded, this, this.#opener);
  }

  async execute(
    code: string,
    ...[options = {}]: OptionsArgument<ExecuteOptions, Context>
  ): Promise<ExecutionResult> {
    checkExecute(code, options);
    const program = this.#programs.prepare(code, options);
    return this.#programs.request(options, true, async (endWait) => {
      const session = await this.#acquire(options);
      try {
        return await session.run(program, endWait);
      } finally {
        const released = session.release();
        // A caller that aborts need not wait until the sandbox is gone: `close` does.
        if (options.signal?.aborted === true) inBackground(released);
        else await untilAborted(released, this.#closed.signal);
      }
    });
  }

  async acquire<Own = Context>(options: AcquireOptions<Own> = {}): Promise<Session<Own>> {
    checkAcquire(options);
    return this.#programs.request(options, false, async () => this.#acquire(options));
  }

  async #acquire(options: AcquireOptions): Promise<SessionHandle> {
    const tools = options.tools === undefined ? this.tools : toolSetOf(options.tools);
    this.#startCleanup();
    const acquired = await this.#opener.acquire(options);
    const parts = { sessions: this.#sessions, programs: this.#programs };
    return new SessionHandle(acquired, { ...parts, tools, closing: this.#closing.signal });
  }

  /** What the executor is doing now, and what it has done. */
  stats(): ExecutorStats {
    return { ...this.#supply.stats, ...this.#sessions.counts, ...this.#watch.counts };
  }

  async sessionInfo(session: SessionName): Promise<SessionInfo | undefined> {
    checkSessionName('sessionInfo', session);
    return this.#sessions.find(idOf(session))?.measuredInfo();
  }

  /** All sessions that can be used, without the memory of their sandboxes. */
  get activeSessions(): readonly SessionInfo[] {
    return this.#sessions.list();
  }

  async closeSession(session: SessionToClose): Promise<void> {
    checkSessionToClose(session);
    const { id, key, persistent = false } = session;
    if (key === undefined) await this.#sessions.close(id);
    else await this.#opener.end(key, persistent);
  }

  async closeAllSessions(): Promise<void> {
    await this.#sessions.closeAll();
  }

  /** Closes expired sessions regularly from now on. */
  #startCleanup(): void {
    if (this.#closing.signal.aborted) throw closedError();
    this.#cleanupTimer ??= setInterval(() => {
      this.#sessions.closeExpired();
      inBackground(this.#supply.tidy());
    }, this.#cleanupIntervalMs).unref();
  }

  /**
   * Waits until the pool's sandboxes are ready, or without a pool, until the provider is chosen.
   * @throws PtcError the reason why a sandbox did not start, `SANDBOX_LIMIT` if there is no room,
   * or `CLOSED`.
   */
  async warmUp(): Promise<void> {
    this.#startCleanup();
    await Promise.all([this.#supply.warmUp(), this.#checker?.then((checker) => checker.warmUp())]);
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
    clearInterval(this.#cleanupTimer);
    const timer = setTimeout(() => this.#closed.abort(), CLOSE_DEADLINE_MS);
    await untilAborted(this.#end(), this.#closed.signal);
    clearTimeout(timer);
    this.#closed.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<void> {
    await this.#opener.leaveAll();
    await Promise.all([this.#supply.close(), this.#checker?.then((checker) => checker.close())]);
  }
}

function idOf({ id, key }: SessionName): string {
  return key === undefined ? id : sessionIdOf(key);
}

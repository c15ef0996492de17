import type { ExecutionResult } from '../execution/execution.ts';
import { DEFAULT_BUDGETS } from '../execution/limits/execution-budgets.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { ResourceLimits } from '../sandbox/sandbox.ts';
import type { SandboxSoftware } from '../sandbox/software/software.ts';
import { untilAborted } from '../shared/async/abort.ts';
import { given } from '../shared/given.ts';
import { inBackground } from '../shared/async/background.ts';
import type { AuditLog } from '../audit/entry.ts';
import { copyPolicy, type PolicyOptions } from '../tools/policy/policy-gate.ts';
import { assertAnswered } from '../tools/remote-tool.ts';
import { toolSetOf } from '../tools/registry/tools-option.ts';
import type { ToolSet } from '../tools/registry/tool-set.ts';
import type { CheckLevel, OptionsArgument } from '../tools/tool.ts';
import type { Executor, Session, SessionName, SessionToClose } from './executor.ts';
import {
  checkAcquire,
  checkExecute,
  checkNewExecutor,
  checkSessionName,
  checkSessionToClose,
} from './options/option-names.ts';
import { guardedOptions } from './options/guarded-options.ts';
import type {
  AcquireOptions,
  ExecuteOptions,
  SandboxExecutorOptions,
} from './options/executor-options.ts';
import type { ExecutorStats } from './executor-watch.ts';
import { DEFAULT_LANGUAGES } from './options/language-choice.ts';
import { Policies } from './options/policies.ts';
import { resultChecks } from './options/result-checks.ts';
import { prepareProgram, type ProgramDefaults } from './session/program.ts';
import type { SessionInfo } from './session/session-info.ts';
import { sessionIdOf } from './session/shared-session.ts';
import { SessionOpener } from './session/session-opener.ts';

/** Runs programs in sandboxes on this machine, without a model. */
export class SandboxExecutor<Context = never> implements Executor<Context> {
  readonly tools: ToolSet<Context>;
  readonly policy: PolicyOptions | undefined;
  readonly fairBy: string | undefined;
  readonly audit: AuditLog | undefined;
  readonly languages: readonly LanguageName[];
  readonly limits: ResourceLimits;
  readonly programTimeoutMs: number;
  readonly concurrentToolCalls: number;
  readonly checkResults: CheckLevel;
  readonly #defaults: ProgramDefaults;
  readonly #opener: SessionOpener;
  #software: SandboxSoftware | undefined;
  #search: Promise<SandboxSoftware | undefined> | undefined;

  /**
   * @throws PtcError `OPTION_INVALID` for a value that an option cannot have,
   * `TYPE_CHECKER_MISSING`.
   */
  constructor(options: SandboxExecutorOptions<Context> = {}) {
    checkNewExecutor(options);
    const guarded = guardedOptions(options);
    this.audit = guarded.audit;
    this.tools = toolSetOf(options.tools ?? []);
    this.policy = copyPolicy(options.policy);
    this.fairBy = options.fairBy;
    this.checkResults = resultChecks(options.checkResults);
    this.languages = Object.freeze([...(options.languages ?? DEFAULT_LANGUAGES)]);
    this.programTimeoutMs = options.programTimeoutMs ?? 60_000;
    const { concurrentToolCalls } = { ...DEFAULT_BUDGETS, ...given(options.budgets ?? {}) };
    this.concurrentToolCalls = concurrentToolCalls;
    const { tools, languages, programTimeoutMs, checkResults } = this;
    const policies = new Policies(this.policy, tools);
    this.#defaults = { tools, languages, programTimeoutMs, policies };
    this.#opener = new SessionOpener(guarded, { ...this.#defaults, checkResults });
    this.limits = this.#opener.supply.limits;
  }

  async execute(
    code: string,
    ...[options = {}]: OptionsArgument<ExecuteOptions, Context>
  ): Promise<ExecutionResult> {
    checkExecute(code, options);
    const program = prepareProgram(code, options, this.#defaults);
    assertAnswered(program.tools);
    const use = await this.#opener.begin(options, true);
    try {
      return await use.session.programs.run(program, use.endWait);
    } finally {
      use.endWait();
      const released = use.release();
      // A caller that aborts need not wait until the sandbox is gone: `close` does.
      if (options.signal?.aborted === true) inBackground(released);
      else await untilAborted(released, this.#opener.closed);
    }
  }

  async acquire<Own = Context>(options: AcquireOptions<Own> = {}): Promise<Session<Own>> {
    checkAcquire(options);
    return this.#opener.acquire(options);
  }

  /** What the executor is doing now, and what it has done. */
  stats(): ExecutorStats {
    return this.#opener.stats;
  }

  async sessionInfo(session: SessionName): Promise<SessionInfo | undefined> {
    checkSessionName('sessionInfo', session);
    return this.#opener.sessions.find(idOf(session))?.measuredInfo();
  }

  /** All sessions that can be used, without the memory of their sandboxes. */
  get activeSessions(): readonly SessionInfo[] {
    return this.#opener.sessions.list();
  }

  async closeSession(session: SessionToClose): Promise<void> {
    checkSessionToClose(session);
    const { id, key, persistent = false } = session;
    if (key === undefined) await this.#opener.endById(id);
    else await this.#opener.end(key, persistent);
  }

  async closeAllSessions(): Promise<void> {
    await this.#opener.endAll();
  }

  /**
   * Waits until the pool's sandboxes are ready, or without a pool, until the provider is chosen,
   * and until `software` is known, if the provider tells it.
   * @throws PtcError the reason why a sandbox did not start, `SANDBOX_LIMIT` if there is no room,
   * or `CLOSED`.
   */
  async warmUp(): Promise<void> {
    // If the software cannot be found out, sandboxes may work nevertheless. If they do not, the opener says why.
    const software = this.findSoftware().catch(() => {});
    await Promise.all([this.#opener.warmUp(), software]);
  }

  /** The interpreters and libraries of the sandboxes. Undefined before `warmUp` or a conversation. */
  get software(): SandboxSoftware | undefined {
    return this.#software;
  }

  async findSoftware(): Promise<void> {
    if (this.#software !== undefined) return;
    // Conversations that begin at the same time share one search, which starts a sandbox.
    this.#search ??= this.#opener.software().finally(() => (this.#search = undefined));
    this.#software = await this.#search;
  }

  /**
   * The name of the provider, such as `docker`. It is chosen now if it was not chosen before.
   * @throws PtcError `SANDBOX_UNAVAILABLE`.
   */
  async providerName(): Promise<string> {
    return (await this.#opener.supply.provider()).name;
  }

  /**
   * Ends all sessions and their programs, and returns within two seconds. Persistent sessions are
   * left to the next process. The executor cannot be used again.
   */
  async close(): Promise<void> {
    await this.#opener.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function idOf({ id, key }: SessionName): string {
  return key === undefined ? id : sessionIdOf(key);
}

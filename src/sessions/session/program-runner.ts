import { randomUUID } from 'node:crypto';
import type { AuditSink } from '../../audit/entry.ts';
import type { CallLog } from '../../calls/call-log.ts';
import type { ExecutionEvent, ExecutionResult } from '../../execution/execution.ts';
import type { Language } from '../../languages/language.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import { inBackground } from '../../shared/async/background.ts';
import { timeInLoopTurn } from '../../shared/async/event-loop-work.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import type { PolicyGate } from '../../tools/policy/policy-gate.ts';
import { toolSetOf, type ToolSet } from '../../tools/registry.ts';
import type { CheckLevel } from '../../tools/tool.ts';
import { abortedBeforeStart } from '../executor-errors.ts';
import type {
  ExecuteOptions,
  SandboxExecutorOptions,
  SessionExecuteOptions,
} from '../executor-options.ts';
import { checkLabels } from '../keys-and-labels.ts';
import type { Labels } from '../../shared/labels.ts';
import { chooseLanguage } from '../language-choice.ts';
import { Policies } from '../policies.ts';
import { refuse, withAdvice } from '../refused-result.ts';
import { ProgramQuotas } from '../tenants/program-quotas.ts';
import { recordQuotaRefusal } from '../tenants/quota-audit.ts';
import { tenantOf } from '../tenants/tenants.ts';
import type { SandboxSession } from './sandbox-session.ts';
import type { SessionOpener } from './session-opener.ts';

/** A program, with everything that it needs apart from a session. */
export interface Program {
  readonly code: string;
  readonly language: Language;
  readonly tools: ToolSet;
  readonly policy: PolicyGate | undefined;
  /** They replace those of the session. @default the session's */
  readonly labels: Labels | undefined;
  readonly context: unknown;
  readonly runId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly callLog: CallLog | undefined;
  readonly onEvent: ((event: ExecutionEvent) => unknown) | undefined;
}

/** A program whose turn in its session has come. */
interface ProgramInTurn extends Program {
  readonly labels: Labels;
  readonly tenant: Group;
  /** Called when it begins. */
  readonly endWait: () => void;
}

/** What programs have that name nothing else. */
export interface ProgramDefaults {
  readonly tools: ToolSet;
  readonly languages: readonly LanguageName[];
  readonly programTimeoutMs: number;
  readonly checkResults: CheckLevel;
}

/** Runs programs in the sessions of an executor, with its defaults, policies and quotas. */
export class ProgramRunner {
  readonly #defaults: ProgramDefaults;
  readonly #fairBy: string | undefined;
  readonly #audit: AuditSink | undefined;
  readonly #policies: Policies;
  readonly #quotas: ProgramQuotas;
  readonly #opener: Pick<SessionOpener, 'find' | 'use'>;

  /** @throws PtcError `OPTION_INVALID` for a policy that cannot be used. */
  constructor(
    options: Pick<SandboxExecutorOptions, 'fairBy' | 'audit' | 'policy' | 'quotas'>,
    defaults: ProgramDefaults,
    opener: Pick<SessionOpener, 'find' | 'use'>,
  ) {
    this.#defaults = defaults;
    this.#fairBy = options.fairBy;
    this.#audit = options.audit;
    this.#policies = new Policies(options.policy, defaults.tools);
    this.#quotas = new ProgramQuotas(options.fairBy, options.quotas);
    this.#opener = opener;
  }

  /**
   * A program with what it names, and the defaults.
   * @param options - Their names and kinds were checked.
   * @param tools - The tools of its session.
   * @throws PtcError `OPTION_INVALID`
   */
  prepare(
    code: string,
    options: SessionExecuteOptions,
    tools: ToolSet = this.#defaults.tools,
  ): Program {
    const { timeoutMs = this.#defaults.programTimeoutMs, runId = randomUUID() } = options;
    const { signal, onEvent, context, callLog } = options;
    const ownTools = options.tools === undefined ? tools : toolSetOf(options.tools);
    return {
      code,
      language: chooseLanguage(this.#defaults.languages, options.language),
      tools: ownTools,
      policy: this.#policies.gate(options.policy, [tools, ownTools]),
      labels: options.labels === undefined ? undefined : checkLabels(options.labels),
      context,
      runId,
      timeoutMs,
      signal,
      callLog,
      onEvent,
    };
  }

  /**
   * Counts a request whose session may have to be opened, and its program, if it is for one. It has
   * the labels of its session if it has none.
   * @param work - Gets a function to call when the request no longer waits. It can be called more
   *   than once, and is called when the work settles.
   * @throws PtcError `QUOTA_EXCEEDED`, `OPTION_INVALID`, and what the work throws.
   */
  async request<Result>(
    options: Pick<ExecuteOptions, 'sessionKey' | 'labels' | 'signal'>,
    isForProgram: boolean,
    work: (endWait: () => void) => Promise<Result>,
  ): Promise<Result> {
    const session = this.#opener.find(options.sessionKey);
    const labels = checkLabels(options.labels ?? session?.labels);
    const { signal } = options;
    const endWait = await this.#count({ labels, signal }, session?.id, isForProgram);
    try {
      // Thousands may come at once, and to open a session takes a fraction of a millisecond.
      const turn = timeInLoopTurn(tenantOf(labels, this.#fairBy));
      if (turn !== undefined) await turn;
      return await work(endWait);
    } finally {
      endWait();
    }
  }

  /**
   * Counts a program of an open session, which has the labels of the session if it has none.
   * @returns a function to call when it begins, which can be called more than once.
   * @throws PtcError `QUOTA_EXCEEDED`
   */
  async count(
    { labels, signal }: Pick<Program, 'labels' | 'signal'>,
    session: Pick<SandboxSession, 'id' | 'labels'>,
  ): Promise<() => void> {
    return this.#count({ labels: labels ?? session.labels, signal }, session.id, true);
  }

  /** @throws PtcError `QUOTA_EXCEEDED` */
  async #count(
    { labels, signal }: { readonly labels: Labels; readonly signal: AbortSignal | undefined },
    sessionId: string | undefined,
    isForProgram: boolean,
  ): Promise<() => void> {
    const tenant = tenantOf(labels, this.#fairBy);
    let endWait: (() => void) | undefined;
    try {
      endWait = this.#quotas.enter(tenant);
      if (isForProgram) this.#quotas.begin(tenant);
      return endWait;
    } catch (error) {
      endWait?.();
      await recordQuotaRefusal(error, { audit: this.#audit, sessionId, stop: signal });
      throw error;
    }
  }

  /**
   * Runs a program after those of its session that already wait.
   * @param endWait - Called when it begins.
   * @throws PtcError `CLOSED` if the session closes before the program starts, `ABORTED` if the
   * caller aborts before that.
   */
  async run(
    session: SandboxSession,
    program: Program,
    endWait: () => void,
  ): Promise<ExecutionResult> {
    const { labels = session.labels, signal } = program;
    const tenant = tenantOf(labels, this.#fairBy);
    const place = this.#quotas.place(tenant);
    const tools = program.tools.snapshot();
    const endUse = this.#opener.use(session.id);
    try {
      return await session.inTurn(signal, async (stop) => {
        // Without a place, the caller has aborted or the session closes, and the rest throws that.
        const hasPlace = (await place?.take(stop)) ?? true;
        try {
          return await this.#runNow(session, { ...program, tools, labels, tenant, endWait }, stop);
        } finally {
          if (hasPlace) place?.release();
        }
      });
    } finally {
      endWait();
      endUse();
    }
  }

  /** @param stop - Fires when the caller aborts or the session closes. */
  async #runNow(
    session: SandboxSession,
    program: ProgramInTurn,
    stop: AbortSignal,
  ): Promise<ExecutionResult> {
    const started = performance.now();
    const { language, tools, labels, tenant, runId, context } = program;
    const audit = this.#audit;
    const about = {
      language,
      code: language.program(program.code),
      tools: tools.forCaller('code'),
    };
    const refusal = await session.check(about, stop);
    assertWanted(program.signal);
    session.assertOpen();
    if (refusal !== undefined && !session.checkOnlyWarns) {
      session.touch();
      const refused = { sessionId: session.id, language: language.name, code: about.code };
      return refuse(refusal, refused, { started, audit, stop });
    }
    const connection = session.configure(about);
    program.endWait();
    const ran = await connection.execute({
      origin: { sessionId: session.id, sessionKey: session.key, labels, tenant, runId, context },
      language: language.name,
      code: about.code,
      tools,
      policy: program.policy,
      audit,
      callLog: program.callLog,
      checkResults: this.#defaults.checkResults,
      timeoutMs: program.timeoutMs,
      signal: stop,
      onEvent: program.onEvent,
    });
    const closed = session.programEnded(ran, refusal);
    // A caller that aborts does not want to wait. `SandboxExecutor.close` waits for the rest.
    if (program.signal?.aborted === true) inBackground(closed);
    else await closed;
    return withAdvice(ran, refusal);
  }
}

/** @throws PtcError `ABORTED` if the caller has aborted. */
function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedBeforeStart(signal.reason);
}

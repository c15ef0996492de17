import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from '../../execution/execution.ts';
import type { AuditSink } from '../../audit/entry.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import type { ToolSet } from '../../tools/registry.ts';
import {
  checkProgramOptions,
  type SandboxExecutorOptions,
  type SessionExecuteOptions,
} from '../executor-options.ts';
import { checkLabels } from '../keys-and-labels.ts';
import { chooseLanguage } from '../language-choice.ts';
import { Policies } from '../policies.ts';
import type { SessionManager } from '../session-manager.ts';
import { ProgramQuotas } from '../tenants/program-quotas.ts';
import { recordQuotaRefusal } from '../tenants/quota-audit.ts';
import { tenantOf } from '../tenants/tenants.ts';
import type { SandboxSession } from './sandbox-session.ts';

/** A program and its options. */
export interface ProgramToRun {
  readonly code: string;
  readonly options: SessionExecuteOptions & { readonly tools: ToolSet };
  /** Whether `begin` has counted it. */
  readonly isCounted: boolean;
}

/** Runs programs in sessions of an executor, with its defaults, policies and quotas. */
export class ProgramRunner {
  readonly #timeoutMs: number;
  readonly #fairBy: string | undefined;
  readonly #audit: AuditSink | undefined;
  readonly #languages: readonly LanguageName[];
  readonly #sessions: SessionManager;
  readonly #policies: Policies;
  readonly #quotas: ProgramQuotas;

  /** @throws PtcError `OPTION_INVALID` for a policy that cannot be used. */
  constructor(
    options: SandboxExecutorOptions,
    defaults: {
      readonly tools: ToolSet;
      readonly languages: readonly LanguageName[];
      readonly timeoutMs: number;
    },
    sessions: SessionManager,
  ) {
    this.#fairBy = options.fairBy;
    this.#audit = options.audit;
    this.#timeoutMs = defaults.timeoutMs;
    this.#languages = defaults.languages;
    this.#sessions = sessions;
    this.#policies = new Policies(options.policy, defaults.tools);
    this.#quotas = new ProgramQuotas(options.fairBy, options.quotas);
  }

  /**
   * Counts a program whose session may have to be opened.
   * @param id - The id of the session, whose labels the program has if it has none.
   * @throws PtcError `QUOTA_EXCEEDED`, `OPTION_INVALID`.
   */
  async begin({ labels, signal }: SessionExecuteOptions, id: string): Promise<void> {
    const session = this.#sessions.find(id);
    const tenant = tenantOf(checkLabels(labels ?? session?.labels), this.#fairBy);
    await this.#count(tenant, session?.id, signal);
  }

  /**
   * @throws PtcError `QUOTA_EXCEEDED`, `OPTION_INVALID`, and what `SandboxSession.execute` throws.
   */
  async run(
    session: SandboxSession,
    { code, options, isCounted }: ProgramToRun,
  ): Promise<ExecutionResult> {
    const { timeoutMs = this.#timeoutMs, runId = randomUUID() } = options;
    const { signal, onEvent, context, callLog, tools } = options;
    checkProgramOptions({ timeoutMs, signal, tools });
    const labels = options.labels === undefined ? undefined : checkLabels(options.labels);
    const policy = this.#policies.gate(options.policy, tools);
    const language = chooseLanguage(this.#languages, options.language);
    const tenant = tenantOf(labels ?? session.labels, this.#fairBy);
    if (!isCounted) await this.#count(tenant, session.id, signal);
    const place = this.#quotas.place(tenant);
    const end = this.#sessions.use(session.id);
    try {
      const about = { labels, tenant, context, runId, language, policy, place };
      const settings = { tools: tools.snapshot(), callLog, timeoutMs, signal, onEvent };
      return await session.execute(code, { ...about, ...settings });
    } finally {
      end();
    }
  }

  /** @throws PtcError `QUOTA_EXCEEDED` */
  async #count(
    tenant: Group,
    sessionId: string | undefined,
    stop: AbortSignal | undefined,
  ): Promise<void> {
    try {
      this.#quotas.begin(tenant);
    } catch (error) {
      await recordQuotaRefusal(error, { audit: this.#audit, sessionId, stop });
      throw error;
    }
  }
}

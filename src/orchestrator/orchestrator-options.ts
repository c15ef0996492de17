import type {
  AnswerSettings,
  LanguageModel,
  ModelMessage,
  ToolChoice,
} from '../models/language-model.ts';
import type { SandboxExecutorOptions } from '../sessions/options/executor-options.ts';
import type { Labels } from '../shared/labels.ts';
import { isExecutor, type Executor } from '../sessions/executor.ts';
import { SandboxExecutor } from '../sessions/sandbox-executor.ts';
import type { AuditLog } from '../audit/entry.ts';
import { checkAudit } from '../audit/options.ts';
import type { LanguageName } from '../protocol/messages.ts';
import { PtcError } from '../shared/errors.ts';
import { given } from '../shared/given.ts';
import { hasMethod } from '../shared/guards.ts';
import { isOfKind } from '../shared/options/option-kinds.ts';
import {
  checkCount,
  checkDelay,
  checkOneOf,
  invalidOption,
} from '../shared/options/option-values.ts';
import type { PolicyOptions } from '../tools/policy/policy-gate.ts';
import { checkTools, type ToolsOption } from '../tools/registry/tools-option.ts';
import type { SchemaSource } from '../tools/schema/schema.ts';
import { checkAnswerSettings } from './answer-settings.ts';
import { checkCatalog, type CatalogMode } from './code/tool-catalog.ts';
import type { ConversationStore } from './store/conversation-store.ts';
import type { RedactFunction } from './events/event-redaction.ts';
import type { RunListener } from './events/run-events.ts';
import type { ToolMode } from './system-prompt.ts';
import type { SummarizeFunction } from './turns/context-compaction.ts';
import type { TurnHooks } from './turns/hooks.ts';
import { checkRunLimits, type RunLimitOptions } from './turns/run-limits.ts';

/** Settings of all runs of a conversation, which each run can override. */
export interface RunSettings extends Partial<AnswerSettings>, RunLimitOptions, TurnHooks {
  readonly model: LanguageModel;
  /**
   * The model for the rest of a run after a call of `model` has finally failed: its service is
   * still over its limits after the retries, or refuses the request. @default none
   */
  readonly fallbackModel?: LanguageModel;
  /**
   * How often a model call is retried after its answer broke off or the service was over its
   * limits. Failures before an answer begins are not retried if the service's own client has
   * already done so. @default 2
   */
  readonly maxRetries?: number;
  /**
   * Summarizes the older part of a conversation that becomes too long for its model.
   * @default the model is asked
   */
  readonly summarize?: SummarizeFunction;
  /** Your own instructions. They precede those for code and tools. */
  readonly instructions?: string;
  /** How many turns one run may have. @default 10 */
  readonly maxTurns?: number;
  /** Longest single answer, in tokens. @default 8192 */
  readonly maxTokens?: number;
  /**
   * Whether the model calls a tool. `{ tool }` takes the name of a direct tool, or `execute_code`.
   * `any` and `{ tool }` apply in each run until the model has called tools once: a model that
   * always has to call a tool would never answer. @default 'auto'
   */
  readonly toolChoice?: ToolChoice;
  /**
   * How long one run may take, including the time for approvals, in milliseconds. After it, the run
   * ends with `RUN_TIMEOUT`. @default no limit
   */
  readonly runTimeoutMs?: number;
}

/** @typeParam Context - The type of the context that the tools need with each run. */
export interface OrchestratorOptions<Context = never> extends RunSettings {
  /**
   * Where the conversation's programs run: an executor, or the options of a new `SandboxExecutor`,
   * which ends with the orchestrator. One executor can serve any number of conversations, each in
   * its own session, within the executor's limits. You close an executor that you pass.
   * @default the options `{}`
   */
  readonly executor?: Executor | SandboxExecutorOptions;
  /** The tools of the conversation. More can be added. @default the executor's */
  readonly tools?: ToolsOption<Context>;
  /**
   * How the model learns of the tools that programs can call: from its prompt, or by search.
   * @default 'auto'
   */
  readonly catalog?: CatalogMode;
  /**
   * Decides which tool calls run, which are refused, and which wait for an approver.
   * @default the executor's
   */
  readonly policy?: PolicyOptions;
  /**
   * The audit log, from `openAuditLog`, for the calls that the model makes directly. A new executor
   * also gets it, for programs and their calls, unless its options name another one.
   * @default the executor's
   */
  readonly audit?: AuditLog;
  /**
   * The languages that programs may be written in, from the executor's. The first is used if a
   * program's language is not named.
   * @default the executor's
   */
  readonly languages?: readonly LanguageName[];
  /** The time limit of a program, in milliseconds. @default the executor's */
  readonly programTimeoutMs?: number;
  /**
   * How long a call of the model waits for its program, in milliseconds. A program that takes longer
   * goes on, and the model gets what it printed so far and its id, with which it waits again
   * (docs/long-programs.md). The end of the run stops it. @default until the program has ended
   */
  readonly yieldAfterMs?: number;
  /**
   * How much text of one result the model gets, in bytes of UTF-8: 1000 or more. A longer one is cut
   * in its middle, and kept in a file of the session, if that is open (docs/long-output.md). What is
   * known about the tool calls of a program that was stopped is never cut. @default 50000
   */
  readonly maxResultBytes?: number;
  /**
   * Whether the model gets a hint if its program called tools one after another that could have run
   * at the same time, or made the same call many times (docs/tools.md): one at most for a program.
   * @default true
   */
  readonly hints?: boolean;
  /**
   * The key of the conversation's session, such as the conversation's id. When the orchestrator
   * closes, the session stays open for others with the key, until it expires.
   * @default a random one, whose session ends with the orchestrator
   */
  readonly sessionKey?: string;
  /**
   * The document of an earlier conversation (`toJSON`). This conversation continues with its
   * messages, its usage and its session, if that still exists. Any value can be passed, because a
   * document usually comes from JSON of unknown type: it is validated, so it may be untrusted. If
   * `store` already has the conversation, the stored one is used.
   * @default a new conversation
   */
  readonly conversation?: unknown;
  /**
   * The messages with which the conversation continues, for example from your database. They are
   * validated and copied. If `store` already has the conversation, the stored one is used. Cannot
   * be combined with `conversation`. @default none
   */
  readonly messages?: readonly ModelMessage[];
  /**
   * Stores the conversation under the key of its session: each turn, and each tool call before it
   * is made and after it. If the process is killed, nothing is lost. `fileStore` and `sqliteStore`
   * create a store.
   * @default not stored
   */
  readonly store?: ConversationStore;
  /**
   * Whether the session outlives this process. Needs `sessionKey` or `conversation`. Docker and Kubernetes only.
   * @default false
   */
  readonly persistent?: boolean;
  /**
   * How long a program waits for its session if another process or executor uses it. Then
   * `SESSION_HELD` is thrown. @default 0
   */
  readonly sessionWaitMs?: number;
  /**
   * Labels of the conversation for the policy, the tools and the audit log, such as a user's id.
   * @default none
   */
  readonly labels?: Labels;
  /** Which tools the model gets. @default 'hybrid' */
  readonly mode?: ToolMode;
  /**
   * What the conversation keeps of a run that throws. `keep`: all messages and results; incomplete
   * ones are marked, and the next run continues from there. `discard`: nothing. A refused answer,
   * and a request that led only to a refusal, are never kept, because services also refuse what
   * follows them. @default 'keep'
   */
  readonly onFailure?: 'keep' | 'discard';
  /**
   * Removes private data from what events contain of programs and of the arguments and results of
   * tools. The model, the tools, the approver and the store get the full data. With this option,
   * there are no `tool-input-delta` events. What `program-ended` and `run-ended` report is not changed:
   * the output of programs, and the arguments and results of their deferred calls.
   * @default events contain everything
   */
  readonly redact?: RedactFunction;
}

/**
 * @typeParam Output - The type of the schema's value. Schemas of libraries define it; for a JSON
 *   Schema, specify it.
 */
export interface RunOptions<Output = unknown> extends Partial<RunSettings> {
  /**
   * A schema for the final answer, of any kind that tools accept. The model gets the schema, and
   * its answer, JSON or a code block of JSON, is checked. If it does not match, the model gets the
   * reason and is asked once more, which takes a turn. If that answer does not match either, the
   * run ends with `OUTPUT_INVALID`. @default the answer is text
   */
  readonly output?: SchemaSource<Output>;
  /** Aborts the run: the model's answer, its program and its tools. */
  readonly signal?: AbortSignal;
  /**
   * Called with each event as it happens. If it returns a promise, further tool calls and turns wait
   * until it settles. The time limits go on.
   */
  readonly onEvent?: RunListener;
  /** The tools of this run. @default the conversation's */
  readonly tools?: ToolsOption;
  /**
   * Labels of this run. They override labels of the conversation with the same names. @default none
   */
  readonly labels?: Labels;
  /**
   * The value that tools get as `ToolContext.context`, such as a database connection. Nothing else
   * gets it. @default undefined
   */
  readonly context?: unknown;
}

/**
 * Checks the settings of a run. The keys are the names of the options.
 * @throws PtcError `OPTION_INVALID`.
 */
export function checkRunSettings(
  settings: Partial<RunSettings> & { readonly tools?: ToolsOption },
): void {
  checkTools(settings.tools);
  checkModel('model', settings.model);
  checkModel('fallbackModel', settings.fallbackModel);
  const { maxTurns = 1, maxTokens = 1, runTimeoutMs = 1, maxRetries = 0 } = settings;
  checkCount('maxTurns', maxTurns, 1);
  checkCount('maxTokens', maxTokens, 1);
  checkAnswerSettings(settings);
  checkDelay('runTimeoutMs', runTimeoutMs);
  checkCount('maxRetries', maxRetries, 0);
  checkRunLimits(settings);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkOrchestratorOptions(options: OrchestratorOptions): void {
  if (options.model === undefined) {
    const message = "model is missing. Set it, for example to anthropicModel({ model: '…' }).";
    throw new PtcError('OPTION_INVALID', message, { details: { option: 'model' } });
  }
  checkRunSettings(options);
  checkCatalog(options.catalog);
  const { mode = 'hybrid', onFailure = 'keep' } = options;
  checkOneOf('mode', mode, ['programmatic', 'hybrid', 'direct']);
  checkOneOf('onFailure', onFailure, ['keep', 'discard']);
  const { persistent, sessionKey, conversation, messages, store, executor } = options;
  const { programTimeoutMs } = options;
  checkMethod('store', store, 'append', 'a store, such as fileStore({ directory })');
  if (executor !== undefined && !isExecutor(executor) && !isOfKind(executor, 'plain')) {
    const expected = 'an executor, such as new SandboxExecutor({ tools }), or the options of one';
    throw invalidOption('executor', executor, expected);
  }
  checkAudit(options.audit);
  if (programTimeoutMs !== undefined) checkDelay('programTimeoutMs', programTimeoutMs);
  if (conversation !== undefined && messages !== undefined) {
    const message =
      'messages cannot be combined with conversation, which has its own. Set one of them.';
    throw new PtcError('OPTION_INVALID', message, { details: { option: 'messages' } });
  }
  if (persistent === true && sessionKey === undefined && conversation === undefined) {
    const message =
      'persistent needs sessionKey: another process finds the session by it. Set sessionKey.';
    throw new PtcError('OPTION_INVALID', message, { details: { option: 'persistent' } });
  }
}

/** The executor of a conversation: the one that was passed, or a new one of its own. */
export function executorOf(options: OrchestratorOptions): Executor {
  const { executor = {}, tools, policy, audit, languages, programTimeoutMs } = options;
  if (isExecutor(executor)) return executor;
  const own = given({ tools, policy, audit, languages, programTimeoutMs });
  return new SandboxExecutor({ ...own, ...given(executor) });
}

function checkModel(name: string, value: unknown): void {
  if (value === undefined) return;
  if (hasMethod(value, 'stream')) return;
  throw invalidOption(name, value, "a model, such as anthropicModel({ model: '…' })");
}

/** @param method - A method that the value must have, unless it is undefined. */
function checkMethod(name: string, value: unknown, method: string, expected: string): void {
  if (value === undefined) return;
  if (!hasMethod(value, method)) throw invalidOption(name, value, expected);
}

import type {
  AnswerSettings,
  LanguageModel,
  ModelMessage,
  ToolChoice,
} from '../models/language-model.ts';
import {
  checkCount,
  checkDelay,
  checkTools,
  type SandboxExecutorOptions,
  type SessionLabels,
} from '../sessions/executor-options.ts';
import type { Executor } from '../sessions/executor.ts';
import { PtcError } from '../shared/errors.ts';
import type { ToolSet } from '../tools/registry.ts';
import type { SchemaSource } from '../tools/schema.ts';
import { checkAnswerSettings } from './answer-settings.ts';
import type { ConversationStore } from './store/conversation-store.ts';
import type { RedactFunction } from './event-redaction.ts';
import type { RunListener } from './run-events.ts';
import type { ToolMode } from './system-prompt.ts';
import type { SummarizeFunction } from './turns/context-compaction.ts';
import type { TurnHooks } from './turns/hooks.ts';
import { checkRunLimits, type RunLimitOptions } from './turns/run-limits.ts';

/** The options of an executor that a conversation can have of its own. */
type RunSetting = 'tools' | 'policy' | 'audit' | 'languages' | 'timeoutMs';

/** The others, which cannot be set beside an executor. */
const OF_EXECUTOR: Readonly<Record<Exclude<keyof SandboxExecutorOptions, RunSetting>, true>> = {
  sandbox: true,
  typeCheck: true,
  limits: true,
  outputLimitBytes: true,
  showLastValue: true,
  budgets: true,
  sessionTimeoutMs: true,
  cleanupIntervalMs: true,
  startTimeoutMs: true,
  maxSandboxes: true,
  whenFull: true,
  pool: true,
  onExecutorEvent: true,
  onProgress: true,
};

/** What a conversation has for all its runs, and a run may have of its own. */
export interface RunSettings extends Partial<AnswerSettings>, RunLimitOptions, TurnHooks {
  readonly model: LanguageModel;
  /**
   * Asked for the rest of a run if a call of `model` fails for good: if its service is still over its limits after the
   * retries, or refuses the request. @default none
   */
  readonly fallbackModel?: LanguageModel;
  /**
   * How often a model call is made again that broke off, or found the service over its limits, where the client of the
   * service has not done so already: clients do before an answer begins. @default 2
   */
  readonly maxRetries?: number;
  /** Sums up the older part of a conversation that grows too long for its model. @default the model is asked */
  readonly summarize?: SummarizeFunction;
  /** Your own instructions; they come before those on code and tools. */
  readonly instructions?: string;
  /** How often the model may be asked for one run. @default 10 */
  readonly maxIterations?: number;
  /** Longest single answer, in tokens. @default 8192 */
  readonly maxTokens?: number;
  /**
   * Whether the model calls a tool; `{ tool }` takes a direct tool's name, or `execute_code`. `any` and `{ tool }` hold
   * until the model has called tools, once in each run: one that always has to call would never answer. @default 'auto'
   */
  readonly toolChoice?: ToolChoice;
  /** How long one run may take, waiting for people included; then it ends with `RUN_TIMEOUT`. @default no limit */
  readonly timeLimitMs?: number;
}

/** @typeParam Context - What the tools have to be given with a run. */
export interface OrchestratorOptions<Context = never>
  extends SandboxExecutorOptions<Context>, RunSettings {
  /**
   * Where the conversation's code runs: one executor can serve any number of conversations, each in a session of its own,
   * within the executor's limits. It stays yours to close. Its tools, policy, audit log and languages are those of the
   * conversation unless others are given.
   * @default an executor of its own, made of the other options
   */
  readonly executor?: Executor;
  /**
   * The key of the conversation's session, such as the conversation's id. The session stays for whoever acquires the key
   * when the orchestrator closes, until it expires.
   * @default a random one, whose session ends with the orchestrator
   */
  readonly session?: string;
  /**
   * The document of an earlier conversation (`toJSON`), which this one goes on with: its messages, its usage and its session,
   * if that is still there. It is checked, since it may come from anywhere. If `store` has the conversation already, that of
   * the store is taken.
   * @default a new conversation
   */
  readonly conversation?: unknown;
  /**
   * The messages that the conversation goes on from, such as those of your own database. They are checked and copied. If
   * `store` has the conversation already, that of the store is taken. Not beside `conversation`. @default none
   */
  readonly messages?: readonly ModelMessage[];
  /**
   * Where the conversation is written down, under the key of its session: each turn, and each tool call before it is made
   * and after. A process that is killed loses nothing. `fileStore` and `sqliteStore` make one.
   * @default nowhere
   */
  readonly store?: ConversationStore;
  /** Whether the session outlives this process. Needs `session`, or a `conversation`. Docker only. @default false */
  readonly persistent?: boolean;
  /** What the policy and the tools are told of the conversation, such as whose it is. @default none */
  readonly labels?: SessionLabels;
  /** Which tools the model gets. @default 'hybrid' */
  readonly mode?: ToolMode;
  /**
   * What the conversation keeps of a run that throws. `keep`: all that was said and done; what was cut off says so, and
   * the next run goes on from there. `discard`: nothing. A refused answer, and a request that led to nothing but a
   * refusal, are never kept, since services refuse what follows them. @default 'keep'
   */
  readonly onFailure?: 'keep' | 'discard';
  /**
   * Takes out of the arguments and results of tools, and of programs, what events must not tell, such as what is personal.
   * The model, the tools, the approver and the store get all of it. Pieces of arguments and programs (`tool-input-delta`)
   * are not told then. What a program prints is told as it is. @default events tell all
   */
  readonly redact?: RedactFunction;
}

/** @typeParam Output - What the schema `output` makes of the answer: known of a schema of a library, to be said of a JSON Schema. */
export interface RunOptions<Output = unknown> extends Partial<RunSettings> {
  /**
   * A schema that the final answer has to match, of any kind that tools take. The model is told of it, and the answer, JSON
   * or a code block of JSON, is checked. If it does not match, the model is told why and asked once again, which is a turn
   * like others; then the run ends with `OUTPUT_INVALID`. @default the answer is text
   */
  readonly output?: SchemaSource<Output>;
  /** Ends the run: the model's answer, its code and its tools. */
  readonly signal?: AbortSignal;
  /** Hears of everything as it happens. */
  readonly onEvent?: RunListener;
  /** The tools of this run. @default the conversation's */
  readonly tools?: ToolSet;
  /** What the policy and the tools are told of this run, over the labels of the conversation. @default none */
  readonly labels?: SessionLabels;
  /** What the tools get as `ToolContext.context`, such as a user's database. It goes nowhere else. @default undefined */
  readonly context?: unknown;
}

/** Checks the settings of a run, which have the names of their options. @throws PtcError `OPTION_INVALID`. */
export function checkRunSettings(
  settings: Partial<RunSettings> & { readonly tools?: ToolSet },
): void {
  checkTools(settings.tools);
  const { maxIterations = 1, maxTokens = 1, timeLimitMs = 1, maxRetries = 0 } = settings;
  checkCount('maxIterations', maxIterations, 1);
  checkCount('maxTokens', maxTokens, 1);
  checkAnswerSettings(settings);
  checkDelay('timeLimitMs', timeLimitMs);
  checkCount('maxRetries', maxRetries, 0);
  checkRunLimits(settings);
  for (const name of ['prepareTurn', 'stopWhen', 'summarize'] as const) {
    checkFunction(name, settings[name]);
  }
}

/** @throws PtcError `OPTION_INVALID` for options of an executor beside an executor, and for a session that cannot be. */
export function checkOrchestratorOptions(options: OrchestratorOptions): void {
  checkRunSettings(options);
  checkFunction('redact', options.redact);
  const { persistent, session, conversation, messages } = options;
  if (conversation !== undefined && messages !== undefined) {
    throw invalid(
      'messages cannot be set beside conversation, which has its own. Set one of them.',
    );
  }
  if (persistent === true && session === undefined && conversation === undefined) {
    throw invalid('session must be set if persistent is: another process finds the session by it.');
  }
  if (options.executor === undefined) return;
  const wrong = Object.entries(options).find(
    ([name, value]) => value !== undefined && Object.hasOwn(OF_EXECUTOR, name),
  );
  if (wrong === undefined) return;
  throw invalid(
    `${wrong[0]} cannot be set beside executor, which has its own. Set it where the executor is made.`,
  );
}

function checkFunction(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw invalid(`${name} must be a function, not ${typeof value}.`);
}

function invalid(message: string): PtcError {
  return new PtcError('OPTION_INVALID', message);
}

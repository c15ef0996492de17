import type { CallLog } from '../../calls/call-log.ts';
import type { ExecutionEvent } from '../../execution/execution.ts';
import type { ExecutionBudgets } from '../../execution/limits/execution-budgets.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { ProviderChoice } from '../../providers/select-provider.ts';
import type { ProgressListener, ResourceLimits } from '../../sandbox/sandbox.ts';
import { given } from '../../shared/given.ts';
import {
  checkCount,
  checkDelay,
  checkOneOf,
  checkPositive,
  checkSignal,
  checkWait,
  invalidOption,
} from '../../shared/options/option-values.ts';
import type { AuditLog } from '../../audit/entry.ts';
import { checkAudit } from '../../audit/options.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { checkTools, type ToolsOption } from '../../tools/registry/tools-option.ts';
import type { CheckLevel } from '../../tools/tool.ts';
import type { WhenFull } from '../supply/when-full.ts';
import type { ExecutorEvent } from '../executor-watch.ts';
import { checkAdvertised, checkKeyText } from './keys-and-labels.ts';
import type { Labels } from '../../shared/labels.ts';
import { offeredLanguages } from './language-choice.ts';
import type { PoolOptions } from '../supply/pool.ts';
import { checkTenantOptions } from '../tenants/tenant-options.ts';
import type { TenantQuotas } from '../tenants/tenants.ts';

/** JSON text of twice this size is close to the limits of a string and a parser. */
const MAX_CALL_BYTES = 64 * 1024 * 1024;

export interface SandboxExecutorOptions<Context = never> {
  /** The tools that programs may call. @default none */
  readonly tools?: ToolsOption<Context>;
  /**
   * Decides which tool calls run, which are refused, and which wait for an approver.
   * @default all run
   */
  readonly policy?: PolicyOptions;
  /**
   * The audit log, from `openAuditLog`, which gets entries about sessions, programs, calls and
   * decisions. The executor does not close it.
   * @default none
   */
  readonly audit?: AuditLog;
  /**
   * Where programs run. The executor does not close a provider object that you pass.
   * @default 'auto': Docker if an engine answers, otherwise the best other provider
   * (docs/sandboxes.md)
   */
  readonly provider?: ProviderChoice;
  /**
   * The languages that programs may be written in. The first is used if a program's language is not
   * named. A sandbox has an interpreter for each, which starts with its first program. They share
   * the sandbox's files.
   * @default ['python']
   */
  readonly languages?: readonly LanguageName[];
  /**
   * Whether TypeScript programs are checked against the types of the tools before they run. With
   * `error`, a program with type errors does not run. With `warn`, it runs, and if it fails, the
   * traceback of its error ends with its type errors. Needs the package `typescript`, which reads
   * programs in a process of its own on the host. This is not a security measure: a program that
   * cannot be checked within two seconds runs unchecked.
   * @default 'off'
   */
  readonly checkTypes?: CheckLevel;
  /**
   * Whether results of tools are checked against their `outputSchema`. With `warn`, the first wrong
   * result of each tool causes a warning of the process (`PTC_RESULT_MISMATCH`), and programs get
   * all results. With `error`, the call fails with `InvalidResult`, and the time of the checks counts
   * towards `budgets.validationMs`.
   * @default 'warn', or 'off' if the environment variable `NODE_ENV` is `production`
   */
  readonly checkResults?: CheckLevel;
  /**
   * Whether a program that fails because a value does not have the shape that it expected is told
   * what its tools returned: types, keys and lengths, and no values. Also whether the shapes are
   * kept for `ToolRegistry.observedShapes`.
   * @default true
   */
  readonly resultShapes?: boolean;
  /** Limits of each sandbox. Limits that are left out have their defaults. */
  readonly limits?: Partial<ResourceLimits>;
  /** The time limit of a program. @default 60000 */
  readonly programTimeoutMs?: number;
  /**
   * How much of each output stream of a program is kept, in bytes: half from the beginning, half
   * from the end.
   * @default 4194304 (4 MiB)
   */
  readonly maxOutputBytes?: number;
  /**
   * Whether the value of a program's last expression is shown below its output, as in a notebook.
   * @default true
   */
  readonly showLastValue?: boolean;
  /** How much of this process one program may use. What is left out has its default. */
  readonly budgets?: Partial<ExecutionBudgets>;
  /** How long a session lives without being used. @default 270000 */
  readonly sessionIdleTimeoutMs?: number;
  /** How often expired sessions are closed. @default 60000 */
  readonly cleanupIntervalMs?: number;
  /** How long a sandbox may take from its start until its runner answers. @default 30000 */
  readonly sandboxStartTimeoutMs?: number;
  /** How many sandboxes may exist at a time, including the pool's. @default any number */
  readonly maxSandboxes?: number;
  /**
   * What happens if another one is needed. The pool gives up its sandboxes first.
   * @default `{ action: 'wait', timeoutMs: 30000 }`
   */
  readonly whenFull?: WhenFull;
  /** The label whose values are tenants, who wait in turn (docs/servers.md). @default none */
  readonly fairBy?: string;
  /** What each of these tenants may have and do. Needs `fairBy`. @default no quotas */
  readonly quotas?: TenantQuotas;
  /**
   * What other processes are told if they want the session of a key that this executor uses, as
   * `details.holder` of `SESSION_HELD`: such as its address, so that a router can send the request
   * there. At most 500 characters. @default nothing
   */
  readonly advertise?: string;
  /** Starts sandboxes in advance. @default none */
  readonly pool?: PoolOptions;
  /** Called when sessions are opened or closed, and when sandboxes start. */
  readonly onExecutorEvent?: (event: ExecutorEvent) => void;
  /**
   * Called with messages about work that takes long, such as building an image, and about the
   * choice of the provider.
   */
  readonly onProgress?: ProgressListener;
}

/** Options of one program. */
export interface SessionExecuteOptions {
  /** The program's language, one of the executor's `languages`. @default the first of them */
  readonly language?: LanguageName;
  /** The time limit of this program. @default the executor's */
  readonly timeoutMs?: number;
  /** Stops the program. Its result then has the status `cancelled`. */
  readonly signal?: AbortSignal;
  /**
   * Called with output and tool calls at the moment they happen. If it returns a promise, the
   * program's further tool calls wait until it settles. The time limit goes on.
   */
  readonly onEvent?: (event: ExecutionEvent) => unknown;
  /**
   * The tools that this program may call, instead of those of its session.
   * @default those that the session was acquired with
   */
  readonly tools?: ToolsOption;
  /** The policy of this program, instead of the executor's. @default the executor's */
  readonly policy?: PolicyOptions;
  /**
   * Labels of this program, which replace all labels of the session: it can have been opened with a
   * label that this program must not have. @default the session's
   */
  readonly labels?: Labels;
  /**
   * The value that its tools get as `ToolContext.context`, such as a user's database connection.
   * Nothing else sees it.
   * @default undefined
   */
  readonly context?: unknown;
  /**
   * Records each tool call before its tool runs, and its outcome. The call waits for that.
   * @default calls are not recorded
   */
  readonly callLog?: CallLog;
  /** The id that its tools get as `ToolContext.runId`. @default a random UUID */
  readonly runId?: string;
  /**
   * Why the model runs the program, such as what it wrote before it. Approvers that decide its calls
   * together read it (`ApprovalBatch.program`).
   * @default they read only the program
   */
  readonly purpose?: string;
}

export interface AcquireOptions<Context = never> {
  /**
   * Your name for the session, such as the id of a user or conversation. On one machine, one
   * executor at a time has the session of a key.
   * @default none: a new session that only this caller uses
   */
  readonly sessionKey?: string;
  /** The tools of its programs that name none. @default the executor's */
  readonly tools?: ToolsOption<Context>;
  /**
   * Labels of the session, for policies and tools, if it is opened or taken over. A session that
   * this executor has already keeps its labels.
   * @default none
   */
  readonly labels?: Labels;
  /** Ends the wait and the start. */
  readonly signal?: AbortSignal;
  /**
   * How long to wait if another process or executor uses the session of the key. If nobody uses it,
   * the key is handed over without that: with its state if it is persistent, otherwise to a new
   * session.
   * @default 0
   */
  readonly sessionWaitMs?: number;
  /**
   * Whether the session outlives this process. If an earlier process left such a session, it is
   * taken over. It ends when it is destroyed, or when it is unused for `sessionIdleTimeoutMs`, with or
   * without a process. Needs a key. Docker and Kubernetes only.
   * @default false
   */
  readonly persistent?: boolean;
}

export interface ExecuteOptions extends AcquireOptions, SessionExecuteOptions {}

/** @throws PtcError `OPTION_INVALID` for a value that an option cannot have. */
export function checkExecutorOptions(options: SandboxExecutorOptions): void {
  checkTools(options.tools);
  checkDelay('programTimeoutMs', options.programTimeoutMs ?? 1);
  checkPositive('maxOutputBytes', options.maxOutputBytes ?? 1);
  checkPositive('sessionIdleTimeoutMs', options.sessionIdleTimeoutMs ?? 1);
  checkDelay('cleanupIntervalMs', options.cleanupIntervalMs ?? 1);
  checkDelay('sandboxStartTimeoutMs', options.sandboxStartTimeoutMs ?? 1);
  const limits = given(options.limits ?? {});
  const budgets = given(options.budgets ?? {});
  checkLimits(limits);
  for (const [name, value] of Object.entries(budgets)) {
    checkCount(`budgets.${name}`, value, name === 'callBytes' ? 1024 : 1);
  }
  const { callBytes = 1024 } = budgets;
  if (callBytes > MAX_CALL_BYTES)
    throw invalidOption('budgets.callBytes', callBytes, `at most ${MAX_CALL_BYTES}`);
  const { maxSandboxes, whenFull, pool, audit, checkTypes = 'off' } = options;
  offeredLanguages(options.languages);
  checkOneOf('checkTypes', checkTypes, ['off', 'warn', 'error']);
  checkAudit(audit);
  if (maxSandboxes !== undefined) checkCount('maxSandboxes', maxSandboxes, 1);
  checkDelay('whenFull.timeoutMs', whenFull?.timeoutMs ?? 1);
  if (whenFull !== undefined) {
    checkOneOf('whenFull.action', whenFull.action, ['wait', 'reject', 'evict']);
  }
  checkTenantOptions(options);
  checkAdvertised(options.advertise);
  if (pool === undefined) return;
  checkCount('pool.minReady', pool.minReady, 0);
  checkCount(
    'pool.maxReady',
    pool.maxReady ?? Math.max(1, pool.minReady),
    Math.max(1, pool.minReady),
  );
  if (pool.minReady > (maxSandboxes ?? pool.minReady)) {
    throw invalidOption('pool.minReady', pool.minReady, 'at most maxSandboxes');
  }
}

/** The kernel takes whole numbers only, except for processors. Files have two file systems of a page each. */
function checkLimits(limits: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (name === 'cpus') checkPositive(name, value);
    else checkCount(name, value, name === 'temporaryStorageBytes' ? 8192 : 1);
  }
}

/** @throws PtcError `OPTION_INVALID` */
export function checkAcquireOptions(options: AcquireOptions): void {
  const { sessionKey: key, persistent, signal, tools, sessionWaitMs = 0 } = options;
  checkKey(key, persistent === true);
  checkTools(tools);
  checkSignal(signal);
  checkWait('sessionWaitMs', sessionWaitMs);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkProgramOptions(options: {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly tools?: ToolsOption | undefined;
}): void {
  const { timeoutMs = 1, signal, tools } = options;
  checkDelay('timeoutMs', timeoutMs);
  checkTools(tools);
  checkSignal(signal);
}

/**
 * @throws PtcError `OPTION_INVALID` for a key that is not text, or a missing key of a persistent
 * session.
 */
function checkKey(key: string | undefined, persistent: boolean): void {
  if (key === undefined && persistent) {
    const expected = 'set if persistent is: another process finds the session by its key';
    throw invalidOption('sessionKey', key, expected);
  }
  if (key !== undefined) checkKeyText('sessionKey', key);
}

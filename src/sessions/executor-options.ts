import type { CallLog } from '../execution/call-log.ts';
import type { ExecutionEvent } from '../execution/execution.ts';
import type { RunBudgets } from '../execution/run-budgets.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { SandboxChoice } from '../providers/select-provider.ts';
import type { ProgressListener, ResourceLimits } from '../sandbox/sandbox.ts';
import { PtcError } from '../shared/errors.ts';
import { given } from '../shared/given.ts';
import type { AuditLog } from '../telemetry/audit-entry.ts';
import type { PolicyOptions } from '../tools/policy-gate.ts';
import type { ToolRegistry, ToolSet } from '../tools/registry.ts';
import type { WhenFull } from './capacity.ts';
import type { ExecutorEvent } from './executor-watch.ts';
import { offeredLanguages } from './language-choice.ts';
import type { PoolOptions } from './pool.ts';

/** JSON text of twice as much is at the edge of what a string and a parser can hold without harm to others. */
const MAX_CALL_BYTES = 64 * 1024 * 1024;

export interface SandboxExecutorOptions<Context = never> {
  /** The tools that code may call. @default none */
  readonly tools?: ToolRegistry<Context>;
  /** Which calls of them run, which are refused, and which wait for an approver. @default all run */
  readonly policy?: PolicyOptions;
  /** Is told of sessions, runs, calls and decisions, as `openAuditLog` opens it. It stays yours to close. @default none */
  readonly audit?: AuditLog;
  /** Where code runs. A provider of your own stays yours to close. @default 'auto': Docker if an engine answers, else the best of the others (docs/sandboxes.md) */
  readonly sandbox?: SandboxChoice;
  /**
   * What programs may be written in; the first is that of a run that names none. One sandbox has an
   * interpreter for each, which starts with its first program; they share its files. @default ['python']
   */
  readonly languages?: readonly LanguageName[];
  /**
   * Whether TypeScript programs are checked against the types of the tools before they run; one with
   * type errors does not run. Needs the package `typescript`, which reads them on the host, in a process of its
   * own. No security: a program that cannot be checked in two seconds runs unchecked. @default false
   */
  readonly typeCheck?: boolean;
  /** What a sandbox may use; what is left out has its default. */
  readonly limits?: Partial<ResourceLimits>;
  /** Time limit of a run. @default 60000 */
  readonly timeoutMs?: number;
  /** What is kept of each output stream of a run: half of it from the start, half from the end. @default 1048576 (1 MiB) */
  readonly outputLimitBytes?: number;
  /** Whether the value of a program's last expression is shown below what it printed, as in a notebook. @default true */
  readonly showLastValue?: boolean;
  /** What one run may ask of this process; what is left out has its default. */
  readonly budgets?: Partial<RunBudgets>;
  /** How long an unused session lives. @default 270000 */
  readonly sessionTimeoutMs?: number;
  /** How often expired sessions are looked for. @default 60000 */
  readonly cleanupIntervalMs?: number;
  /** How long a started sandbox may take until its runner answers. @default 30000 */
  readonly startTimeoutMs?: number;
  /** How many sandboxes may be there at a time: one-shot runs, sessions and the pool. @default any number */
  readonly maxSandboxes?: number;
  /** What happens when one more is needed. The pool gives way first. @default `{ policy: 'wait', timeoutMs: 30000 }` */
  readonly whenFull?: WhenFull;
  /** Sandboxes that stand ready before they are needed. @default none */
  readonly pool?: PoolOptions;
  /** Hears of sessions and sandboxes as they come and go. */
  readonly onExecutorEvent?: (event: ExecutorEvent) => void;
  /** Hears of what takes long, such as an image being built, and which sandbox was chosen. */
  readonly onProgress?: ProgressListener;
}

/** What the host knows of a session or a run, by names of its choice. The sandbox never sees it. */
export type SessionLabels = Readonly<Record<string, string>>;

/** How one program is run. */
export interface SessionExecuteOptions {
  /** What the program is written in, one of the executor's `languages`. @default their first */
  readonly language?: LanguageName;
  /** Time limit of this run. @default the executor's */
  readonly timeoutMs?: number;
  /** Stops the run. Its result then has the status `cancelled`. */
  readonly signal?: AbortSignal;
  /** Hears of output and tool calls as they come. */
  readonly onEvent?: (event: ExecutionEvent) => void;
  /** The tools that this program may call, instead of its session's. @default those that the session was acquired with */
  readonly tools?: ToolSet;
  /** Which of its calls run, instead of the executor's policy. @default the executor's */
  readonly policy?: PolicyOptions;
  /** What the policy and the tools are told of this run, over the labels of its session. @default none */
  readonly labels?: SessionLabels;
  /** What its tools get as `ToolContext.context`, such as a user's database. It goes nowhere else. @default undefined */
  readonly context?: unknown;
  /** Writes down each call before its tool runs, and its outcome; the call waits for it. @default nothing does */
  readonly callLog?: CallLog;
  /** What its tools get as `ToolContext.runId`. @default a random UUID */
  readonly runId?: string;
}

export interface AcquireOptions<Context = never> {
  /**
   * Whose session it is, such as a user's or a conversation's. One executor on one machine has it at a time.
   * @default none: a new session that only the caller has
   */
  readonly key?: string;
  /** The tools of its runs that name none. @default the executor's */
  readonly tools?: ToolSet<Context>;
  /** What the policy and the tools are told of a session that is opened or taken over, such as whose it is. One that this executor has keeps its own. @default none */
  readonly labels?: SessionLabels;
  /** Ends the waiting and the start. */
  readonly signal?: AbortSignal;
  /** How long to wait for the key if another process or executor holds it. @default 0 */
  readonly waitMs?: number;
  /**
   * Has the session outlive this process, and takes over the one that an earlier process left. It ends
   * when it is destroyed, or unused for `sessionTimeoutMs`, with or without a process. Needs a key. Docker only.
   * @default false
   */
  readonly persistent?: boolean;
}

export interface ExecuteOptions extends AcquireOptions, SessionExecuteOptions {}

/** @throws PtcError `OPTION_INVALID` for a number that cannot be what it is given for. */
export function checkExecutorOptions(options: SandboxExecutorOptions): void {
  checkTools(options.tools);
  checkDelay('timeoutMs', options.timeoutMs ?? 1);
  checkPositive('outputLimitBytes', options.outputLimitBytes ?? 1);
  checkPositive('sessionTimeoutMs', options.sessionTimeoutMs ?? 1);
  checkDelay('cleanupIntervalMs', options.cleanupIntervalMs ?? 1);
  checkDelay('startTimeoutMs', options.startTimeoutMs ?? 1);
  const limits = given(options.limits ?? {});
  const budgets = given(options.budgets ?? {});
  for (const [name, value] of Object.entries(limits)) checkPositive(name, value);
  for (const [name, value] of Object.entries(budgets)) {
    checkCount(`budgets.${name}`, value, name === 'callBytes' ? 1024 : 1);
  }
  const { callBytes = 1024 } = budgets;
  if (callBytes > MAX_CALL_BYTES)
    throw invalid('budgets.callBytes', callBytes, `at most ${MAX_CALL_BYTES}`);
  const { maxSandboxes, whenFull, pool, audit } = options;
  offeredLanguages(options.languages);
  if (typeof (options.typeCheck ?? false) !== 'boolean') {
    throw invalid('typeCheck', options.typeCheck, 'true or false');
  }
  if (audit !== undefined && typeof audit.record !== 'function') {
    throw invalid('audit', audit, 'an audit log: what openAuditLog gives, awaited');
  }
  if (maxSandboxes !== undefined) checkCount('maxSandboxes', maxSandboxes, 1);
  checkDelay('whenFull.timeoutMs', whenFull?.timeoutMs ?? 1);
  if (whenFull !== undefined && !['wait', 'reject', 'evict'].includes(whenFull.policy)) {
    throw invalid('whenFull.policy', whenFull.policy, 'wait, reject or evict');
  }
  if (pool === undefined) return;
  checkCount('pool.minIdle', pool.minIdle, 0);
  checkCount('pool.maxIdle', pool.maxIdle ?? Math.max(1, pool.minIdle), Math.max(1, pool.minIdle));
  if (pool.minIdle > (maxSandboxes ?? pool.minIdle)) {
    throw invalid('pool.minIdle', pool.minIdle, 'at most maxSandboxes');
  }
}

/** @throws PtcError `OPTION_INVALID` */
export function checkAcquireOptions(options: AcquireOptions): void {
  const { key, persistent, signal, tools, waitMs = 0 } = options;
  checkKey(key, persistent === true);
  checkTools(tools);
  checkSignal(signal);
  if (waitMs !== 0) checkDelay('waitMs', waitMs);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkRunOptions(options: {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly tools?: ToolSet | undefined;
}): void {
  const { timeoutMs = 1, signal, tools } = options;
  checkDelay('timeoutMs', timeoutMs);
  checkTools(tools);
  checkSignal(signal);
}

/** @throws PtcError `OPTION_INVALID` for a key that is not text, or none for a session that is to be found again. */
function checkKey(key: string | undefined, persistent: boolean): void {
  if (key === undefined && persistent) {
    throw invalid('key', key, 'set if persistent is: another process finds the session by it');
  }
  if (key !== undefined && (typeof key !== 'string' || key === '')) {
    throw invalid('key', key, 'text of at least one character');
  }
}

/** Copies labels, so that nobody changes them later. @throws PtcError `OPTION_INVALID` for one that is no text. */
export function checkLabels(labels: SessionLabels = {}): SessionLabels {
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') throw invalid(`labels.${name}`, value, 'text');
  }
  return Object.freeze({ ...labels });
}

/** Longer delays than 2^31 - 1 ms make a Node timer fire at once. @throws PtcError `OPTION_INVALID`. */
export function checkDelay(option: string, value: number): void {
  checkPositive(option, value);
  if (value >= 2 ** 31) throw invalid(option, value, 'less than 2147483648');
}

/** @throws PtcError `OPTION_INVALID` for what is not an `AbortSignal`. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalid('signal', signal, 'an AbortSignal, such as the signal of an AbortController');
  }
}

/** @throws PtcError `OPTION_INVALID` for what is not a set of tools, such as an array of them. */
export function checkTools(tools: unknown): void {
  if (tools === undefined) return;
  if (typeof tools === 'object' && tools !== null && 'snapshot' in tools) return;
  const kind = Array.isArray(tools) ? 'an array' : `a value of type ${typeof tools}`;
  throw new PtcError(
    'OPTION_INVALID',
    `tools must be a ToolRegistry, not ${kind}. Make one of your tools: new ToolRegistry([…]).`,
    { details: { option: 'tools' } },
  );
}

function checkPositive(option: string, value: number): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw invalid(option, value, 'a positive number');
  }
}

/** @throws PtcError `OPTION_INVALID` for what is not a whole number, or less than `least`. */
export function checkCount(option: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least) {
    throw invalid(option, value, `a whole number, at least ${least}`);
  }
}

function invalid(option: string, value: unknown, expected: string): PtcError {
  return new PtcError('OPTION_INVALID', `${option} must be ${expected}, not ${String(value)}.`, {
    details: { option, value },
  });
}

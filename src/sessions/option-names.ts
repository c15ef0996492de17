import type { ExecutionBudgets } from '../execution/execution-budgets.ts';
import type { ResourceLimits } from '../sandbox/sandbox.ts';
import { given } from '../shared/given.ts';
import { checkOptionNames, type OptionNames } from '../shared/option-names.ts';
import { POLICY_NAMES, RULE_NAMES } from '../tools/policy/policy-names.ts';
import {
  checkExecutorOptions,
  checkProgramOptions,
  type AcquireOptions,
  type ExecuteOptions,
  type SandboxExecutorOptions,
  type SessionExecuteOptions,
} from './executor-options.ts';
import { invalid } from './invalid-option.ts';
import type { WhenFull } from './supply/capacity.ts';
import type { PoolOptions } from './supply/pool.ts';
import type { TenantQuotas } from './tenants/tenants.ts';

const PAGE = 'docs/sessions.md';

export const EXECUTOR_NAMES: OptionNames<SandboxExecutorOptions> = {
  tools: true,
  policy: true,
  audit: true,
  provider: true,
  languages: true,
  typeCheck: true,
  checkResults: true,
  limits: true,
  timeoutMs: true,
  outputLimitBytes: true,
  showLastValue: true,
  budgets: true,
  idleTimeoutMs: true,
  cleanupIntervalMs: true,
  startTimeoutMs: true,
  maxSandboxes: true,
  whenFull: true,
  fairBy: true,
  quotas: true,
  pool: true,
  onExecutorEvent: true,
  onProgress: true,
};

const LIMIT_NAMES: OptionNames<ResourceLimits> = {
  memoryBytes: true,
  cpus: true,
  processes: true,
  temporaryStorageBytes: true,
};

const BUDGET_NAMES: OptionNames<ExecutionBudgets> = {
  toolCalls: true,
  concurrentToolCalls: true,
  callBytes: true,
  callValues: true,
  receivedBytes: true,
  sentBytes: true,
  validationMs: true,
};

const WHEN_FULL_NAMES: OptionNames<WhenFull> = { policy: true, timeoutMs: true };
const QUOTA_NAMES: OptionNames<TenantQuotas> = {
  sandboxes: true,
  concurrentPrograms: true,
  programsPerMinute: true,
};
const POOL_NAMES: OptionNames<PoolOptions> = { minIdle: true, maxIdle: true };

export const PROGRAM_NAMES: OptionNames<SessionExecuteOptions> = {
  language: true,
  timeoutMs: true,
  signal: true,
  onEvent: true,
  tools: true,
  policy: true,
  labels: true,
  context: true,
  callLog: true,
  runId: true,
};

export const ACQUIRE_NAMES: OptionNames<AcquireOptions> = {
  key: true,
  tools: true,
  labels: true,
  signal: true,
  waitMs: true,
  persistent: true,
};

const EXECUTE_NAMES: OptionNames<ExecuteOptions> = { ...PROGRAM_NAMES, ...ACQUIRE_NAMES };

const KEY_WORDS = { session: 'key' } as const;
const PROGRAM_WORDS = { timeout: 'timeoutMs', lang: 'language' } as const;

/** @throws PtcError `OPTION_INVALID` for names and values that an executor's options cannot have. */
export function checkNewExecutor(options: SandboxExecutorOptions): void {
  const otherWords = { sandbox: 'provider', timeout: 'timeoutMs' } as const;
  checkOptionNames(options, {
    of: 'SandboxExecutor',
    names: EXECUTOR_NAMES,
    page: PAGE,
    otherWords,
  });
  checkNestedNames(options);
  checkExecutorOptions(options);
}

/**
 * Checks the names in the objects in the options of an executor or a conversation.
 * @throws PtcError `OPTION_INVALID`
 */
export function checkNestedNames({
  limits,
  budgets,
  whenFull,
  quotas,
  pool,
  policy,
}: SandboxExecutorOptions): void {
  const page = PAGE;
  if (limits) checkOptionNames(limits, { of: 'limits', names: LIMIT_NAMES, page });
  if (budgets) checkOptionNames(budgets, { of: 'budgets', names: BUDGET_NAMES, page });
  if (whenFull) checkOptionNames(whenFull, { of: 'whenFull', names: WHEN_FULL_NAMES, page });
  if (quotas) checkOptionNames(quotas, { of: 'quotas', names: QUOTA_NAMES, page });
  if (pool) checkOptionNames(pool, { of: 'pool', names: POOL_NAMES, page });
  if (policy !== undefined) checkPolicyNames(policy);
}

/** @throws PtcError `OPTION_INVALID` */
function checkPolicyNames(policy: NonNullable<SandboxExecutorOptions['policy']>): void {
  const page = 'docs/policy.md';
  checkOptionNames(policy, { of: 'policy', names: POLICY_NAMES, page });
  if (!Array.isArray(policy.rules)) return;
  for (const rule of policy.rules) {
    checkOptionNames(rule, { of: 'a rule of policy', names: RULE_NAMES, page });
  }
}

/** @throws PtcError `OPTION_INVALID` */
export function checkAcquireNames(options: AcquireOptions): void {
  checkOptionNames(options, {
    of: 'acquire',
    names: ACQUIRE_NAMES,
    page: PAGE,
    otherWords: KEY_WORDS,
  });
}

/** @throws PtcError `OPTION_INVALID` */
export function checkExecuteOptions(code: unknown, options: ExecuteOptions): void {
  checkCode(code);
  const otherWords = { ...KEY_WORDS, ...PROGRAM_WORDS };
  checkOptionNames(options, { of: 'execute', names: EXECUTE_NAMES, page: PAGE, otherWords });
  if (options.policy !== undefined) checkPolicyNames(options.policy);
  checkProgramOptions(options);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkProgramNames(code: unknown, options: SessionExecuteOptions): void {
  checkCode(code);
  const object = { of: 'Session.execute', names: PROGRAM_NAMES, page: PAGE };
  checkOptionNames(options, { ...object, otherWords: PROGRAM_WORDS });
  if (options.policy !== undefined) checkPolicyNames(options.policy);
}

function checkCode(code: unknown): void {
  if (typeof code !== 'string') throw invalid('code', code, 'text: a program');
}

/** The options of a program, without those of its session. */
export function programOptions(options: ExecuteOptions): SessionExecuteOptions {
  const { language, timeoutMs, signal, onEvent, tools, policy } = options;
  const { labels, context, callLog, runId } = options;
  const judged = { tools, policy, labels, context, callLog, runId };
  return given({ language, timeoutMs, signal, onEvent, ...judged });
}

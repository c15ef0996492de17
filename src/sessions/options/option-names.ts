import type { ExecutionBudgets } from '../../execution/limits/execution-budgets.ts';
import type { ResourceLimits } from '../../sandbox/sandbox.ts';
import { checkProviderChoice } from '../../providers/select-provider.ts';
import { PtcError } from '../../shared/errors.ts';
import { checkOptionNames, type OptionNames } from '../../shared/options/option-names.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { RULE_NAMES } from '../../tools/policy/policy.ts';
import { POLICY_NAMES } from '../../tools/policy/policy-gate.ts';
import {
  checkAcquireOptions,
  checkExecutorOptions,
  checkProgramOptions,
  type AcquireOptions,
  type ExecuteOptions,
  type SandboxExecutorOptions,
  type SessionExecuteOptions,
} from './executor-options.ts';
import type { SessionName, SessionToClose } from '../executor.ts';
import { checkKeyText } from './keys-and-labels.ts';
import type { WhenFull } from '../supply/when-full.ts';
import type { PoolOptions } from '../supply/pool.ts';
import type { TenantQuotas } from '../tenants/tenants.ts';

const PAGE = 'docs/sessions.md';

export const EXECUTOR_NAMES: OptionNames<SandboxExecutorOptions> = {
  tools: true,
  policy: true,
  audit: true,
  provider: true,
  languages: 'array',
  checkTypes: true,
  checkResults: true,
  resultShapes: 'boolean',
  limits: true,
  programTimeoutMs: 'number',
  maxOutputBytes: 'number',
  showLastValue: 'boolean',
  budgets: true,
  sessionIdleTimeoutMs: 'number',
  cleanupIntervalMs: 'number',
  sandboxStartTimeoutMs: 'number',
  maxSandboxes: 'number',
  whenFull: true,
  fairBy: 'text',
  quotas: true,
  advertise: 'text',
  pool: true,
  onExecutorEvent: 'function',
  onProgress: 'function',
};

export const LIMIT_NAMES: OptionNames<ResourceLimits> = {
  memoryBytes: 'number',
  cpus: 'number',
  processes: 'number',
  temporaryStorageBytes: 'number',
};

export const BUDGET_NAMES: OptionNames<ExecutionBudgets> = {
  toolCalls: 'number',
  concurrentToolCalls: 'number',
  callBytes: 'number',
  callValues: 'number',
  receivedBytes: 'number',
  sentBytes: 'number',
  validationMs: 'number',
};

export const WHEN_FULL_NAMES: OptionNames<WhenFull> = { action: true, timeoutMs: 'number' };
export const QUOTA_NAMES: OptionNames<TenantQuotas> = {
  sandboxes: true,
  concurrentPrograms: true,
  programsPerMinute: true,
  waitingRequests: true,
};
export const POOL_NAMES: OptionNames<PoolOptions> = { minReady: 'number', maxReady: 'number' };

export const PROGRAM_NAMES: OptionNames<SessionExecuteOptions> = {
  language: 'text',
  timeoutMs: 'number',
  signal: 'signal',
  onEvent: 'function',
  tools: true,
  policy: true,
  labels: 'plain',
  context: true,
  callLog: 'object',
  runId: 'text',
  purpose: 'text',
};

export const ACQUIRE_NAMES: OptionNames<AcquireOptions> = {
  sessionKey: 'text',
  tools: true,
  labels: 'plain',
  signal: 'signal',
  sessionWaitMs: 'number',
  persistent: 'boolean',
};

export const EXECUTE_NAMES: OptionNames<ExecuteOptions> = { ...PROGRAM_NAMES, ...ACQUIRE_NAMES };

const KEY_WORDS = {
  session: 'sessionKey',
  key: 'sessionKey',
  keys: 'sessionKey',
  waitMs: 'sessionWaitMs',
} as const;
const PROGRAM_WORDS = { timeout: 'timeoutMs', lang: 'language' } as const;

/** @throws PtcError `OPTION_INVALID` for names and values that an executor's options cannot have. */
export function checkNewExecutor(options: SandboxExecutorOptions): void {
  const otherWords = {
    sandbox: 'provider',
    timeout: 'programTimeoutMs',
    timeoutMs: 'programTimeoutMs',
    idleTimeoutMs: 'sessionIdleTimeoutMs',
    startTimeoutMs: 'sandboxStartTimeoutMs',
  } as const;
  checkOptionNames(options, {
    of: 'SandboxExecutor',
    names: EXECUTOR_NAMES,
    page: PAGE,
    otherWords,
  });
  checkNestedNames(options);
  if (options.provider !== undefined) checkProviderChoice(options.provider);
  checkExecutorOptions(options);
}

/**
 * Checks the names in the objects in the options of an executor.
 * @throws PtcError `OPTION_INVALID`
 */
function checkNestedNames({
  limits,
  budgets,
  whenFull,
  quotas,
  pool,
  policy,
}: SandboxExecutorOptions): void {
  const page = PAGE;
  if (limits !== undefined) checkOptionNames(limits, { of: 'limits', names: LIMIT_NAMES, page });
  if (budgets !== undefined)
    checkOptionNames(budgets, { of: 'budgets', names: BUDGET_NAMES, page });
  if (whenFull !== undefined)
    checkOptionNames(whenFull, { of: 'whenFull', names: WHEN_FULL_NAMES, page });
  if (quotas !== undefined) {
    checkOptionNames(quotas, { of: 'quotas', names: QUOTA_NAMES, page: 'docs/servers.md' });
  }
  if (pool !== undefined) checkOptionNames(pool, { of: 'pool', names: POOL_NAMES, page });
  if (policy !== undefined) checkPolicyNames(policy);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkPolicyNames(policy: NonNullable<SandboxExecutorOptions['policy']>): void {
  const page = 'docs/policy.md';
  checkOptionNames(policy, { of: 'policy', names: POLICY_NAMES, page });
  if (policy.rules === undefined)
    throw invalidOption('policy.rules', policy.rules, 'an array of rules');
  for (const rule of policy.rules) {
    checkOptionNames(rule, { of: 'a rule of policy', names: RULE_NAMES, page });
  }
}

/** @throws PtcError `OPTION_INVALID` */
export function checkAcquire(options: AcquireOptions): void {
  const object = { of: 'acquire', names: ACQUIRE_NAMES, page: PAGE };
  checkOptionNames(options, { ...object, otherWords: KEY_WORDS });
  checkAcquireOptions(options);
}

export const SESSION_NAMES: OptionNames<SessionName> = { id: 'text', key: 'text' };
export const CLOSE_NAMES: OptionNames<SessionToClose> = { ...SESSION_NAMES, persistent: 'boolean' };

/**
 * @param of - The method that gets the name.
 * @throws PtcError `OPTION_INVALID`
 */
export function checkSessionName(of: string, session: SessionName): void {
  checkOptionNames(session, { of, names: SESSION_NAMES, page: PAGE });
  checkOneName(of, session);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkSessionToClose(session: SessionToClose): void {
  const of = 'closeSession';
  checkOptionNames(session, { of, names: CLOSE_NAMES, page: PAGE });
  checkOneName(of, session);
  const { key, persistent } = session;
  if (key !== undefined || persistent === undefined) return;
  const expected =
    'left out if the session is named by its id: an earlier process leaves its sandbox to a key';
  throw invalidOption('persistent', persistent, expected);
}

function checkOneName(of: string, { id, key }: SessionName): void {
  if ((id === undefined) === (key === undefined)) {
    throw new PtcError(
      'OPTION_INVALID',
      `${of} needs the id or the key of a session, and not both.`,
    );
  }
  if (key !== undefined) checkKeyText('key', key);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkExecute(code: unknown, options: ExecuteOptions): void {
  checkCode(code);
  const otherWords = { ...KEY_WORDS, ...PROGRAM_WORDS };
  checkOptionNames(options, { of: 'execute', names: EXECUTE_NAMES, page: PAGE, otherWords });
  checkProgramValues(options);
  checkAcquireOptions(options);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkProgramNames(of: string, code: unknown, options: SessionExecuteOptions): void {
  checkCode(code);
  const object = { of, names: PROGRAM_NAMES, page: PAGE };
  checkOptionNames(options, { ...object, otherWords: PROGRAM_WORDS });
  checkProgramValues(options);
}

/**
 * The values of a program's options whose kind alone does not tell that they are right.
 * @throws PtcError `OPTION_INVALID`
 */
export function checkProgramValues(options: Omit<SessionExecuteOptions, 'onEvent'>): void {
  if (options.policy !== undefined) checkPolicyNames(options.policy);
  checkProgramOptions(options);
}

function checkCode(code: unknown): void {
  if (typeof code !== 'string') throw invalidOption('code', code, 'text: a program');
}

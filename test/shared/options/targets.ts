import { scriptedModel } from '../../../src/models/scripted.ts';
import { openAuditLog } from '../../../src/audit/log.ts';
import { AUDIT_OPTIONS } from '../../../src/audit/options.ts';
import { executeCodeTool } from '../../../src/ai-sdk/code/execute-code-tool.ts';
import { EXECUTE_CODE_TOOL } from '../../../src/ai-sdk/code/options.ts';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import {
  CODE_TOOL,
  CODE_TOOL_CALL,
  CODE_TOOL_HOLD,
} from '../../../src/orchestrator/code/code-tool-options.ts';
import { FORK_NAMES } from '../../../src/orchestrator/fork-options.ts';
import {
  ORCHESTRATOR_NAMES,
  RUN_NAMES,
  STREAM_NAMES,
} from '../../../src/orchestrator/option-names.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import { fileStore, FILE_STORE_OPTIONS } from '../../../src/orchestrator/store/file/file-store.ts';
import { sqliteStore, SQLITE_STORE_OPTIONS } from '../../../src/orchestrator/store/sqlite-store.ts';
import { PREPARED_TURN } from '../../../src/orchestrator/turns/hooks.ts';
import { StreamTransport, TRANSPORT_OPTIONS } from '../../../src/protocol/stream-transport.ts';
import { JUDGE_SANDBOX, judgeSandbox } from '../../../src/sandbox/ownership/orphans.ts';
import { PROCESS_OPTIONS, startProcess } from '../../../src/sandbox/process-sandbox.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import {
  ACQUIRE_NAMES,
  BUDGET_NAMES,
  CLOSE_NAMES,
  EXECUTE_NAMES,
  EXECUTOR_NAMES,
  LIMIT_NAMES,
  POOL_NAMES,
  QUOTA_NAMES,
  SESSION_NAMES,
  WHEN_FULL_NAMES,
} from '../../../src/sessions/options/option-names.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { contractSuite, SUBJECT } from '../../../src/testing/contract-suite.ts';
import { policySuite, WAY } from '../../../src/testing/policy/policy-suite.ts';
import { RULE_NAMES } from '../../../src/tools/policy/policy.ts';
import { POLICY_NAMES } from '../../../src/tools/policy/policy-gate.ts';
import { APPROVAL_TARGETS } from './approval-targets.ts';
import { FILE_TARGETS } from './file-targets.ts';
import { HELD_TARGETS } from './held-targets.ts';
import { MODEL_TARGETS } from './model-targets.ts';
import { PROVIDER_TARGETS } from './provider-targets.ts';
import { RULE_TARGETS } from './rule-targets.ts';
import { SOURCE_TARGETS } from './source-targets.ts';
import { MCP_SERVER_TARGETS } from './mcp-server-targets.ts';
import { MCP_TARGETS } from './mcp-targets.ts';
import type { Target } from './target.ts';
import { TOOL_TARGETS } from './tool-targets.ts';

/** No call of a target may start a sandbox. */
const provider: SandboxProvider = {
  name: 'none',
  languages: ['python'],
  create: async () => {
    throw new Error('A sandbox was started.');
  },
  probe: async () => ({ usable: true, description: 'none' }),
  close: async () => {},
};

const executor = new SandboxExecutor({ provider });
const model = scriptedModel([]);
const code = codeTool({ executor, onHostError: () => {} });
const make = (options: object): SandboxExecutor => new SandboxExecutor({ provider, ...options });
const converse = (options: object): ProgrammaticToolOrchestrator =>
  new ProgrammaticToolOrchestrator({ model, executor, ...options });

const [sessions, conversations, loops] = ['sessions.md', 'conversations.md', 'agent-loops.md'];
const [policy, providers] = ['policy.md', 'writing-a-provider.md'];
const RULE = { tool: 'a', action: 'allow' } as const;
const CHOICES = { limits: ['plain'], budgets: ['plain'], quotas: ['plain'] } as const;
const PROGRAM = { context: 'all' } as const;
const RUN = { context: 'all', output: ['plain', 'instance', 'inherited'] } as const;

const POLICY = {
  names: POLICY_NAMES,
  page: policy,
  base: { rules: [] },
  accepts: { approver: ['function'] },
} as const;

/** By the name that errors give the object. */
export const TARGETS: Readonly<Record<string, Target>> = {
  SandboxExecutor: {
    names: EXECUTOR_NAMES,
    page: sessions,
    accepts: CHOICES,
    call: (options) => new SandboxExecutor(options),
  },
  limits: { names: LIMIT_NAMES, page: sessions, call: (limits) => make({ limits }) },
  budgets: { names: BUDGET_NAMES, page: sessions, call: (budgets) => make({ budgets }) },
  whenFull: {
    names: WHEN_FULL_NAMES,
    page: sessions,
    base: { action: 'wait' },
    call: (whenFull) => make({ whenFull }),
  },
  quotas: {
    names: QUOTA_NAMES,
    page: 'servers.md',
    accepts: {
      sandboxes: ['number'],
      concurrentPrograms: ['number'],
      programsPerMinute: ['number'],
      waitingRequests: ['number'],
    },
    call: (quotas) => make({ fairBy: 'tenant', quotas }),
  },
  pool: {
    names: POOL_NAMES,
    page: sessions,
    base: { minReady: 1 },
    call: (pool) => make({ pool }),
  },
  policy: {
    ...POLICY,
    call: (options) => make({ policy: options }),
  },
  'policy of codeTool': {
    ...POLICY,
    call: (options) => codeTool({ executor, policy: options }),
  },
  'a rule of policy': {
    names: RULE_NAMES,
    page: policy,
    base: RULE,
    accepts: { tool: ['text'] },
    call: (rule) => make({ policy: { rules: [rule] } }),
  },
  acquire: {
    names: ACQUIRE_NAMES,
    page: sessions,
    call: async (options) => executor.acquire(options),
  },
  execute: {
    names: EXECUTE_NAMES,
    page: sessions,
    accepts: PROGRAM,
    call: async (options) => executor.execute('1', options),
  },
  sessionInfo: {
    names: SESSION_NAMES,
    page: sessions,
    base: { key: 'key' },
    call: async (options) => executor.sessionInfo(options),
  },
  closeSession: {
    names: CLOSE_NAMES,
    page: sessions,
    base: { key: 'key' },
    call: async (options) => executor.closeSession(options),
  },
  ...SOURCE_TARGETS,
  executeCodeTool: {
    names: EXECUTE_CODE_TOOL.names,
    page: 'ai-sdk.md',
    base: { executor, sessionKey: 'a' },
    accepts: { sessionKey: ['text', 'function'] },
    call: executeCodeTool,
  },
  codeTool: {
    names: CODE_TOOL.names,
    page: loops,
    base: { executor },
    accepts: { state: 'all', files: 'all', closing: 'all' },
    call: (options) => codeTool(options),
  },
  'CodeTool.execute': {
    names: CODE_TOOL_CALL.names,
    page: loops,
    accepts: PROGRAM,
    call: async (options) => code.execute({ code: '1' }, options),
  },
  'CodeTool.hold': {
    names: CODE_TOOL_HOLD.names,
    page: loops,
    call: (options) => code.hold(options),
  },
  ProgrammaticToolOrchestrator: {
    names: ORCHESTRATOR_NAMES,
    page: conversations,
    base: { model, executor },
    accepts: { executor: ['plain'] },
    call: (options) => new ProgrammaticToolOrchestrator(options),
  },
  fork: {
    names: FORK_NAMES,
    page: conversations,
    accepts: { executor: ['plain'] },
    call: (options) => new ProgrammaticToolOrchestrator({ model, executor }).fork(options),
  },
  run: {
    names: RUN_NAMES,
    page: conversations,
    accepts: RUN,
    call: async (options) => converse({}).run('Go.', options),
  },
  stream: {
    names: STREAM_NAMES,
    page: conversations,
    accepts: { ...RUN },
    call: async (options) => converse({}).stream('Go.', options).next(),
  },
  prepareTurn: {
    names: PREPARED_TURN.names,
    page: conversations,
    call: async (turn) => converse({}).run('Go.', { prepareTurn: () => turn }),
  },
  fileStore: {
    names: FILE_STORE_OPTIONS.names,
    page: conversations,
    base: { directory: '/nonexistent' },
    call: (options) => fileStore(options),
  },
  sqliteStore: {
    names: SQLITE_STORE_OPTIONS.names,
    page: conversations,
    call: (options) => sqliteStore(options),
  },
  openAuditLog: {
    names: AUDIT_OPTIONS.names,
    page: 'audit.md',
    base: { path: '/nonexistent/log' },
    call: async (options) => openAuditLog(options),
  },
  ...APPROVAL_TARGETS,
  ...TOOL_TARGETS,
  ...FILE_TARGETS,
  ...HELD_TARGETS,
  ...RULE_TARGETS,
  ...MCP_TARGETS,
  ...MCP_SERVER_TARGETS,
  ...MODEL_TARGETS,
  ...PROVIDER_TARGETS,
  startProcess: {
    names: PROCESS_OPTIONS.names,
    page: providers,
    call: async (options) => startProcess(['true'], options),
  },
  StreamTransport: {
    names: TRANSPORT_OPTIONS.names,
    page: providers,
    base: { stdin: process.stdout, destroy: () => {} },
    call: (options) => new StreamTransport(options),
  },
  judgeSandbox: { names: JUDGE_SANDBOX.names, page: providers, call: judgeSandbox },
  contractSuite: {
    names: SUBJECT.names,
    page: 'testing.md',
    base: { name: 'a', language: 'python', provider: () => provider },
    call: (options) => contractSuite(options),
  },
  policySuite: {
    names: WAY.names,
    page: 'testing.md',
    base: { name: 'a', open: async () => ({}) },
    call: (options) => policySuite(options),
  },
};

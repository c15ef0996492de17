import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { openAuditLog } from '../../src/audit/log.ts';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import { fileStore } from '../../src/orchestrator/store/file-store.ts';
import { sqliteStore } from '../../src/orchestrator/store/sqlite-store.ts';
import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import { embeddedProvider } from '../../src/providers/embedded/embedded-provider.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { contractSuite } from '../../src/testing/contract-suite.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ApprovalQueue } from '../../src/tools/policy/approval-queue.ts';

/** A public function, with options that it takes and more of their names. */
export interface OptionTaker {
  readonly what: string;
  readonly right: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  /** Whether it can have members of its own, so that only misspelt names are refused. */
  readonly isOpen?: boolean;
  readonly call: (options: never) => unknown;
}

/** What takes options, and what can be seen if they start or make something. */
interface OptionTakers {
  readonly takers: readonly OptionTaker[];
  readonly executor: SandboxExecutor;
  readonly started: { readonly sandboxes: number };
  /** A directory that must not come to be. */
  readonly absent: string;
}

/** All public functions that take options. */
export function makeOptionTakers(): OptionTakers {
  const started = { sandboxes: 0 };
  // Nothing that is refused may get here.
  const provider: SandboxProvider = {
    name: 'counting',
    languages: ['python'],
    create: async () => {
      started.sandboxes += 1;
      throw new PtcError('SANDBOX_START_FAILED', 'It only counts.');
    },
    probe: async () => ({ usable: true, description: 'It only counts.' }),
    close: async () => {},
  };

  const model = scriptedModel([]);
  const executor = new SandboxExecutor({ provider });
  const orchestrator = new ProgrammaticToolOrchestrator({ model, executor });
  const session = codeTool({ executor, onHostError: () => {} });
  const absent = join(tmpdir(), `sandboxed-ptc-options-${randomUUID()}`);
  const tool = { name: 'a', description: 'A.', inputSchema: { type: 'object' }, run: () => 1 };

  const takers: readonly OptionTaker[] = [
    {
      what: 'new SandboxExecutor',
      right: { provider, tools: executor.tools },
      names: ['limits', 'budgets', 'whenFull', 'pool', 'quotas', 'fairBy', 'timeoutMs', 'policy'],
      call: (options) => new SandboxExecutor(options),
    },
    ...[
      { what: 'limits', names: ['memoryBytes', 'cpus', 'processes', 'temporaryStorageBytes'] },
      { what: 'budgets', names: ['toolCalls', 'callBytes', 'callValues', 'sentBytes'] },
      { what: 'whenFull', right: { policy: 'wait' }, names: ['timeoutMs'] },
      { what: 'pool', names: ['minIdle', 'maxIdle'] },
      { what: 'quotas', names: ['sandboxes', 'concurrentPrograms', 'programsPerMinute'] },
      { what: 'policy', right: { rules: [] }, names: ['approver', 'approvalTimeoutMs'] },
    ].map(({ what, names, right = {} }) => ({
      what,
      names,
      right,
      call: (options: never) =>
        new SandboxExecutor({ provider, fairBy: 'tenant', [what]: options }),
    })),
    {
      what: 'Executor.execute',
      right: { language: 'python', timeoutMs: 1000 },
      names: ['tools', 'policy', 'labels', 'signal', 'onEvent', 'key', 'waitMs', 'persistent'],
      call: async (options) => executor.execute('1', options),
    },
    {
      what: 'Executor.acquire',
      right: { labels: { tenant: 'a' } },
      names: ['key', 'tools', 'signal', 'waitMs', 'persistent'],
      call: async (options) => executor.acquire(options),
    },
    {
      what: 'new ProgrammaticToolOrchestrator',
      right: { model, executor },
      names: ['session', 'store', 'messages', 'labels', 'mode', 'maxTurns', 'maxTokens', 'policy'],
      call: (options) => new ProgrammaticToolOrchestrator(options),
    },
    {
      what: 'ProgrammaticToolOrchestrator.run',
      right: { model },
      names: ['signal', 'onEvent', 'tools', 'labels', 'maxTurns', 'output', 'timeoutMs'],
      call: async (options) => orchestrator.run('Go.', options),
    },
    {
      what: 'codeTool',
      right: { executor },
      names: ['session', 'tools', 'languages', 'labels', 'policy', 'waitMs', 'timeoutMs'],
      call: (options) => codeTool(options),
    },
    {
      what: 'CodeTool.execute',
      right: {},
      names: ['signal', 'onEvent', 'labels', 'context', 'onHostError', 'callLog'],
      call: async (options) => session.execute({ code: '1' }, options),
    },
    {
      what: 'defineTool',
      right: tool,
      names: ['timeoutMs', 'concurrency', 'outputSchema', 'allowedCallers', 'errorDetails'],
      isOpen: true,
      call: (options) => defineTool(options),
    },
    {
      what: 'fileStore',
      right: { directory: absent },
      names: ['directory'],
      call: (options) => fileStore(options),
    },
    {
      what: 'sqliteStore',
      right: {},
      names: ['database'],
      call: (options) => sqliteStore(options),
    },
    {
      what: 'openAuditLog',
      // A file is no directory of a log.
      right: { path: '/dev/null/log' },
      names: ['maxFileBytes', 'maxFiles', 'redact', 'includeText', 'key', 'onError'],
      call: async (options) => openAuditLog(options),
    },
    {
      what: 'anthropicModel',
      right: { model: 'm', apiKey: 'k' },
      names: ['baseUrl', 'client', 'maxRetries', 'thinking', 'effort', 'extra', 'headers'],
      call: (options) => anthropicModel(options),
    },
    {
      what: 'openaiModel',
      right: { model: 'm', apiKey: 'k' },
      names: ['baseUrl', 'client', 'maxRetries', 'maxTokensField', 'effort', 'extra', 'headers'],
      call: (options) => openaiModel(options),
    },
    {
      what: 'bedrockModel',
      right: { model: 'm', region: 'r' },
      names: ['client', 'streaming', 'promptCaching', 'serviceTier', 'extra'],
      call: (options) => bedrockModel(options),
    },
    {
      what: 'dockerProvider',
      right: { host: 'unix:///dev/null/engine' },
      names: ['image', 'runtime', 'onProgress'],
      call: (options) => dockerProvider(options),
    },
    {
      what: 'embeddedProvider',
      right: {},
      names: ['onProgress'],
      call: (options) => embeddedProvider(options),
    },
    {
      what: 'ApprovalQueue',
      right: {},
      names: ['onRequest'],
      call: (options) => new ApprovalQueue(options),
    },
    {
      what: 'contractSuite',
      right: { name: 'a', language: 'python', provider: () => provider },
      names: ['kill', 'cannot', 'programs'],
      call: (options) => contractSuite(options),
    },
  ];
  return { takers, executor, started, absent };
}

export const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    Number.NaN,
    Infinity,
    2 ** 53,
    '',
    'text',
    '5000',
    'x'.repeat(1000),
  ],
  ...[[], [null], {}, { a: 1 }, new Date(0), new Map(), /x/, new Error('a'), Promise.resolve(1)],
  ...[() => 1, 1n, Symbol('a'), Object.create(null), Buffer.from('a'), new URL('http://a')],
];
export const anyValue: fc.Arbitrary<unknown> = fc.constantFrom(...VALUES);

/** The error of a call; undefined if it succeeded. What it made is closed. */
export async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const made = await call();
    if (made instanceof SandboxExecutor) await made.close();
    return undefined;
  } catch (error) {
    return error ?? 'nothing';
  }
}

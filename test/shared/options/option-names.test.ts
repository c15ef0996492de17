import { describe, expect, it } from 'vitest';
import { CodeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { sqliteStore } from '../../../src/orchestrator/store/sqlite-store.ts';
import { anthropicModel } from '../../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../../src/models/bedrock/model.ts';
import { openaiModel } from '../../../src/models/openai/model.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { openAuditLog } from '../../../src/audit/log.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { contractSuite } from '../../../src/testing/index.ts';
import { ApprovalQueue } from '../../../src/tools/policy/approval-queue.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { refusalOf } from '../../orchestrator/support.ts';
import { useExecutors } from '../../sessions/support.ts';

const makeExecutor = useExecutors();
const model = scriptedModel([]);

/** Calls something with options of any kind, as code without types can. */
type Untyped = (options: never) => unknown;
const untyped = (call: Untyped, options: unknown): unknown => call(options as never);

const RULE = { tool: 'a', action: 'allow', unless: () => true };

const OBJECTS: readonly (readonly [string, Untyped, unknown, RegExp])[] = [
  [
    'an executor',
    (options) => new SandboxExecutor(options),
    { polcy: {} },
    /^SandboxExecutor has no option polcy\. Did you mean policy\? See docs\/sessions\.md\.$/,
  ],
  [
    'an executor, by another word',
    (options) => new SandboxExecutor(options),
    { sandbox: 'docker' },
    /no option sandbox\. Did you mean provider\?/,
  ],
  [
    'limits',
    (options) => new SandboxExecutor(options),
    { limits: { memory: 1 } },
    /^limits has no option memory\. Did you mean memoryBytes\?/,
  ],
  [
    'budgets',
    (options) => new SandboxExecutor(options),
    { budgets: { toolcalls: 1 } },
    /^budgets has no option toolcalls\. Did you mean toolCalls\?/,
  ],
  [
    'whenFull',
    (options) => new SandboxExecutor(options),
    { whenFull: { action: 'wait', timeout: 5 } },
    /^whenFull has no option timeout\. Did you mean timeoutMs\?/,
  ],
  [
    'a pool',
    (options) => new SandboxExecutor(options),
    { pool: { minReady: 1, ready: 2 } },
    /^pool has no option ready\. Did you mean minReady\?/,
  ],
  [
    'a policy',
    (options) => new SandboxExecutor(options),
    { policy: { rules: [], approvers: 1 } },
    /^policy has no option approvers\. Did you mean approver\? See docs\/policy\.md/,
  ],
  [
    'a rule',
    (options) => new SandboxExecutor(options),
    { policy: { rules: [RULE] } },
    /^a rule of policy has no option unless\. See/,
  ],
  [
    'a conversation',
    (options) => new ProgrammaticToolOrchestrator(options),
    { model, policies: {} },
    /^ProgrammaticToolOrchestrator has no option policies\. Did you mean policy\?/,
  ],
  [
    'a code tool',
    (options) => new CodeTool(options),
    { executor: {}, key: 'a' },
    /^codeTool has no option key\. Did you mean sessionKey\?/,
  ],
  [
    'a hold of a code tool',
    (options) => new CodeTool({ executor: makeExecutor().executor }).hold(options),
    { onClose: () => {} },
    /^CodeTool\.hold has no option onClose\. Did you mean onClosed\?/,
  ],
  [
    'a tool, in the words of models',
    (options) => defineTool(options),
    { name: 'a', description: 'A.', parameters: {}, run: () => 1 },
    /^Tool "a" has no option parameters\. Did you mean inputSchema\? See docs\/tools\.md/,
  ],
  [
    'a store of files',
    (options) => fileStore(options),
    { directory: '/tmp', dirs: 1 },
    /^fileStore has no option dirs/,
  ],
  [
    'a store in a database',
    (options) => sqliteStore(options),
    { path: 'x.db' },
    /^sqliteStore has no option path\. Did you mean database\?/,
  ],
  [
    'a model',
    (options) => anthropicModel(options),
    { model: 'm', baseURL: 'http://localhost' },
    /^anthropicModel has no option baseURL\. Did you mean baseUrl\? See docs\/models\.md/,
  ],
  [
    'another model',
    (options) => openaiModel(options),
    { model: 'm', tokens: 1 },
    /^openaiModel has/,
  ],
  ['a third model', (options) => bedrockModel(options), { modelId: 'm' }, /Did you mean model\?/],
  [
    'a model that is a text',
    (options) => anthropicModel(options),
    'claude',
    /^The options of anthropicModel must be an object, not "claude"\./,
  ],
  [
    'a provider',
    (options) => dockerProvider(options),
    { images: 'i' },
    /^dockerProvider has no option images\. Did you mean image\?/,
  ],
  [
    'another provider',
    (options) => embeddedProvider(options),
    { memoryBytes: 1 },
    /^embeddedProvider has no option memoryBytes\./,
  ],
  [
    'a provider that has another',
    (options) => bubblewrapProvider(options),
    { image: 'python' },
    /^bubblewrapProvider has no option image\. See docs\/sandboxes\.md/,
  ],
  [
    'a queue of approvals',
    (options) => new ApprovalQueue(options),
    { onrequest: () => {} },
    /^ApprovalQueue has no option onrequest\. Did you mean onRequest\?/,
  ],
  [
    'a contract suite',
    (options) => contractSuite(options),
    { name: 'a', language: 'python', provider: () => ({}), gaps: {} },
    /^contractSuite has no option gaps\. Did you mean cannot\? See docs\/testing\.md/,
  ],
  [
    'what is not an object',
    (options) => new SandboxExecutor(options),
    42,
    /^The options of SandboxExecutor must be an object, not 42\./,
  ],
];

describe('a name that no option has', () => {
  it.each(OBJECTS)('is refused for %s', (_what, call, options, message) => {
    expect(() => untyped(call, options)).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^(?:OPTION|TOOL)_INVALID$/),
        message: expect.stringMatching(message),
      }),
    );
  });

  it('is refused for a program, a session and a run, before a sandbox starts', async () => {
    const { executor, provider } = makeExecutor();
    const orchestrator = new ProgrammaticToolOrchestrator({ model, executor });
    const code = { language: 'python', timeout: 5 } as never;
    const cases: readonly (readonly [Promise<unknown>, RegExp])[] = [
      [executor.execute('1', code), /^execute has no option timeout\. Did you mean timeoutMs\?/],
      [
        executor.acquire({ keys: 'a' } as never),
        /^acquire has no option keys\. Did you mean sessionKey\?/,
      ],
      [
        executor.acquire({ sessionKye: 'a' } as never),
        /^acquire has no option sessionKye\. Did you mean sessionKey\?/,
      ],
      [orchestrator.run('Go.', { maxTurn: 1 } as never), /^run has no option maxTurn\. .*maxTurns/],
      [
        orchestrator.run('Go.', { abortSignal: null } as never),
        /^run has no option abortSignal\. Did you mean signal\?/,
      ],
      [
        new CodeTool({ executor }).execute({ code: '1' }, { time: 1 } as never),
        /^CodeTool\.execute has no option time/,
      ],
    ];
    for (const [refused, message] of cases) {
      const error = await refusalOf(refused);
      expect(error).toMatchObject({ code: 'OPTION_INVALID' });
      expect(error.message).toMatch(message);
    }
    expect(provider.created.size).toBe(0);
    const session = await executor.acquire();
    expect((await refusalOf(session.execute('1', code))).message).toMatch(/^Session\.execute has/);
  });

  it('is refused for an audit log', async () => {
    const options = { path: '/nonexistent/log', maxFile: 1 } as never;
    const { message } = await refusalOf(openAuditLog(options));
    expect(message).toMatch(/^openAuditLog has no option maxFile\. Did you mean maxFiles\?/);
  });

  it('is refused for a stream, which has no listener beside it', () => {
    const orchestrator = new ProgrammaticToolOrchestrator({
      model,
      executor: makeExecutor().executor,
    });
    expect(() => orchestrator.stream('Go.', { onEvent: () => {} } as never)).toThrow(
      /^stream has no option onEvent\./,
    );
  });

  it('without a value counts as not given', () => {
    expect(() => new SandboxExecutor({ polcy: undefined } as never)).not.toThrow();
  });
});

describe('an option that must be given', () => {
  it.each([
    ['anthropicModel', 'model', anthropicModel],
    ['bedrockModel', 'model', bedrockModel],
    ['openaiModel', 'model', openaiModel],
    ['contractSuite', 'name', contractSuite],
  ] as const)('is missed by %s', (of, name, call) => {
    expect(() => untyped(call, {})).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringMatching(`^${of} needs the option ${name}\\. See docs/`),
      }),
    );
  });
});

describe('a value of a wrong type', () => {
  it('is refused with its own name and value', async () => {
    const { executor } = makeExecutor();
    const orchestrator = new ProgrammaticToolOrchestrator({ model, executor });
    expect((await refusalOf(executor.execute(42 as never))).message).toBe(
      'code must be text: a program, not 42.',
    );
    expect((await refusalOf(executor.execute({ code: '1' } as never))).message).toBe(
      'code must be text: a program, not an object.',
    );
    expect((await refusalOf(executor.execute('1', { timeoutMs: '5000' as never }))).message).toBe(
      'execute: timeoutMs must be a number, not "5000". See docs/sessions.md.',
    );
    expect(
      (await refusalOf(orchestrator.run('Go.', { model: 'claude' as never }))).message,
    ).toContain('model must be a model, such as anthropicModel({ model: \'…\' }), not "claude".');
    expect(() => untyped((options) => new CodeTool(options), { tools: executor.tools })).toThrow(
      'executor is missing',
    );
    expect(() => untyped((options) => sqliteStore(options), { database: 'x.db' })).toThrow(
      'database must be an open database',
    );
    expect(() => untyped((options) => new ProgrammaticToolOrchestrator(options), {})).toThrow(
      'model is missing',
    );
    const byId = { id: 'a', persistent: true } as never;
    expect((await refusalOf(executor.closeSession(byId))).message).toMatch(
      /^persistent must be left out if the session is named by its id.*, not true\.$/,
    );
    const waiting = refusalOf(executor.acquire({ sessionKey: 'a', sessionWaitMs: -1 }));
    expect((await waiting).message).toBe(
      'sessionWaitMs must be at least 0 and at most 2147483647 ms, not -1.',
    );
    for (const [name, value, expected] of [
      ['executor', 'docker', 'executor must be an executor, such as new SandboxExecutor('],
      ['executor', [], 'executor must be an executor'],
      ['store', 'x.db', 'store must be a store, such as fileStore({ directory }), not "x.db".'],
      ['store', null, 'store must be a store'],
    ] as const) {
      expect(() =>
        untyped((options) => new ProgrammaticToolOrchestrator(options), { model, [name]: value }),
      ).toThrow(expect.objectContaining({ message: expect.stringContaining(expected) }));
    }
  });
});

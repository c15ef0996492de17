import { expect, expectTypeOf, it } from 'vitest';
import {
  type AcquireOptions,
  type CallLog,
  codeTool,
  defineTool,
  type ExecuteOptions,
  type ExecutionEvent,
  type ExecutionResult,
  type Executor,
  type HeldProgram,
  type Labels,
  type LoggedCall,
  type OptionsArgument,
  ProgrammaticToolOrchestrator,
  scriptedModel,
  type Session,
  type SessionExecuteOptions,
  type SessionInfo,
  type SessionName,
  type SessionToClose,
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type ToolSet,
} from '../../src/index.ts';

// An executor whose sandboxes are on another machine, written with the root entry point alone and without
// its classes. The compiler checks these: an expected error that does not come is an error.

interface App {
  readonly user: { readonly id: string };
}
const app: App = { user: { id: 'ann' } };

const whoAmI = defineTool({
  name: 'who_am_i',
  description: 'Says who asks.',
  run: (_input, { context }: ToolContext<App>) => context.user.id,
});

/** A set of tools that is a plain object. */
function plainSet<Context>(tools: readonly Tool<Context>[]): ToolSet<Context> {
  const set: ToolSet<Context> = {
    get: (name) => tools.find((tool) => tool.name === name),
    list: () => tools,
    forCaller: (caller) => tools.filter(({ allowedCallers }) => allowedCallers.includes(caller)),
    snapshot: () => set,
  };
  return set;
}

/** The other machine, which does not run programs: it prints them. */
class RemoteSession<Context> implements Session<Context> {
  readonly id: string;
  readonly key: string | undefined;
  readonly acquired: SessionInfo;
  readonly stateId = 'state';
  readonly isNew = true;
  readonly closing: Session['closing'] = new Promise(() => {});

  get files(): Session['files'] {
    throw new Error('This executor has no files.');
  }

  constructor({ sessionKey: key, labels = {} }: AcquireOptions<Context>) {
    this.key = key;
    this.id = `remote-${key ?? ''}`;
    this.acquired = infoOf(this.id, key, labels);
  }

  async execute(
    code: string,
    ...[options = {}]: OptionsArgument<SessionExecuteOptions, Context>
  ): Promise<ExecutionResult> {
    const { onEvent, callLog } = options;
    const event: ExecutionEvent = { type: 'output-delta', stream: 'stdout', text: code };
    await onEvent?.(event);
    await logCall(callLog);
    return {
      status: 'ok',
      success: true,
      stdout: code,
      stderr: '',
      value: undefined,
      images: [],
      imageProblems: [],
      files: [],
      fileProblems: [],
      error: undefined,
      exitCode: 0,
      toolCalls: 1,
      durationMs: 1,
      truncated: false,
      sessionId: this.id,
      sessionOpen: true,
    };
  }

  async start(): Promise<HeldProgram> {
    throw new Error('This executor holds no programs.');
  }

  async info(): Promise<SessionInfo> {
    return this.acquired;
  }

  async reset(): Promise<void> {}
  async release(): Promise<void> {}
  async destroy(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
}

function infoOf(id: string, key: string | undefined, labels: Labels): SessionInfo {
  return {
    id,
    key,
    labels,
    state: 'idle',
    closeReason: undefined,
    provider: 'remote',
    sandboxId: id,
    createdAtMs: 0,
    lastUsedAtMs: 0,
    expiresAtMs: 1,
    programs: 0,
    toolCalls: 0,
    persistent: false,
    resumed: undefined,
    startDurationMs: 0,
    fromPool: false,
    memoryBytes: undefined,
  };
}

/** As if the program had called a tool. */
async function logCall(log: CallLog | undefined): Promise<void> {
  const call: LoggedCall = {
    toolName: 'who_am_i',
    callId: '1',
    caller: 'code',
    argumentsText: '{}',
  };
  const outcome: ToolOutcome = { ok: true, result: { text: '"ann"' } };
  await log?.started(call);
  await log?.ended(call, outcome);
}

class RemoteExecutor<Context> implements Executor<Context> {
  readonly tools: ToolSet<Context>;
  readonly policy = undefined;
  readonly fairBy = undefined;
  readonly audit = undefined;
  readonly checkResults = 'off';
  readonly languages = ['python'] as const;
  readonly limits = {
    memoryBytes: 2 ** 29,
    cpus: 1,
    processes: 64,
    temporaryStorageBytes: 2 ** 26,
  };
  readonly programTimeoutMs = 60_000;

  constructor(tools: ToolSet<Context>) {
    this.tools = tools;
  }

  async execute(
    code: string,
    ...options: OptionsArgument<ExecuteOptions, Context>
  ): Promise<ExecutionResult> {
    const session = await this.acquire();
    return session.execute(code, ...options);
  }

  async acquire<Own = Context>(options: AcquireOptions<Own> = {}): Promise<Session<Own>> {
    return new RemoteSession(options);
  }

  async sessionInfo(_session: SessionName): Promise<SessionInfo | undefined> {
    return undefined;
  }

  async closeSession(_session: SessionToClose): Promise<void> {}

  async providerName(): Promise<string> {
    return 'remote';
  }

  async close(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Is compiled and never run. */
export async function programs(): Promise<void> {
  const executor = new RemoteExecutor(plainSet([whoAmI]));
  expectTypeOf(executor).toExtend<Executor>();
  expectTypeOf(executor.tools).toEqualTypeOf<ToolSet<App>>();
  await executor.execute('1', { context: app });
  // @ts-expect-error no context
  await executor.execute('1');
  // @ts-expect-error an id is a text
  await executor.execute('1', { context: { user: { id: 1 } } });
  const session = await executor.acquire();
  // @ts-expect-error no context
  await session.execute('1');
  const executors: readonly Executor[] = [executor, new RemoteExecutor(plainSet([]))];
  await executors[0]?.execute('1');
}

it('an orchestrator runs programs with an executor that is not a class of the package', async () => {
  const use = {
    type: 'tool-use',
    id: 'a',
    name: 'execute_code',
    input: { code: 'print(1)' },
  } as const;
  const requests: string[] = [];
  const script = [[use], [{ type: 'text', text: 'Done.' } as const]];
  const model = scriptedModel((request) => {
    requests.push(request.system);
    return script[requests.length - 1] ?? [];
  });
  const executor = new RemoteExecutor(plainSet([whoAmI]));
  const conversation = new ProgrammaticToolOrchestrator<App>({ model, executor });
  const printed: string[] = [];
  const { text, messages } = await conversation.run('Print it.', {
    context: app,
    onEvent: (event) => {
      if (event.type === 'output-delta') printed.push(event.text);
    },
  });
  await conversation.close();
  expect(text).toBe('Done.');
  expect(requests[0]).toContain('who_am_i');
  expect(printed).toEqual(['print(1)']);
  expect(messages.at(-2)).toMatchObject({ content: [{ text: 'print(1)', isError: false }] });
});

it('a code tool takes it too, and a plain object as the set of its tools', async () => {
  await using code = codeTool({
    executor: new RemoteExecutor(plainSet([])),
    tools: plainSet([whoAmI]),
  });
  expect(code.systemPrompt).toContain('who_am_i');
  expect((await code.execute({ code: 'print(1)' }, { context: app })).text).toBe('print(1)');
});

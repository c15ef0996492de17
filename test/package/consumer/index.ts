// What a user of every entry point writes; it is compiled in a project that has only the package.
import {
  defineTool,
  ProgrammaticToolOrchestrator,
  PtcError,
  SandboxExecutor,
  scriptedModel,
  ToolRegistry,
  type RunEvent,
  type SandboxProvider,
  type ToolContext,
} from 'sandboxed-ptc';
import { aiSdkModel, aiSdkTools, executeCodeTool } from 'sandboxed-ptc/ai-sdk';
import { anthropicModel } from 'sandboxed-ptc/anthropic';
import { bedrockModel } from 'sandboxed-ptc/bedrock';
import { bubblewrapProvider } from 'sandboxed-ptc/bubblewrap';
import { dockerProvider } from 'sandboxed-ptc/docker';
import { embeddedProvider } from 'sandboxed-ptc/embedded';
import { mcpTools } from 'sandboxed-ptc/mcp';
import { openApiTools } from 'sandboxed-ptc/openapi';
import { kubernetesProvider } from 'sandboxed-ptc/kubernetes';
import { openaiModel } from 'sandboxed-ptc/openai';
import { runnerCommand, type SandboxSpec } from 'sandboxed-ptc/provider';
import { contractSuite, type ContractTest } from 'sandboxed-ptc/testing';

const add = defineTool<{ left: number; right: number }>({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { left: { type: 'number' }, right: { type: 'number' } },
    required: ['left', 'right'],
  },
  run: ({ left, right }) => left + right,
});
const tools = new ToolRegistry([add]);

interface App {
  readonly user: string;
}
const whoAmI = defineTool({
  name: 'who_am_i',
  description: 'Says whose conversation it is.',
  run: (_input, { context }: ToolContext<App>) => context.user,
});

export async function askFor(user: string): Promise<string> {
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: scriptedModel([]),
    tools: new ToolRegistry([add, whoAmI]),
  });
  // @ts-expect-error the tool needs a context
  await orchestrator.run('Who am I?');
  return (await orchestrator.run('Who am I?', { context: { user } })).text;
}

export const providers: SandboxProvider[] = [
  dockerProvider(),
  bubblewrapProvider(),
  embeddedProvider(),
  kubernetesProvider({ namespace: 'agents' }),
];
export async function commandOf(spec: SandboxSpec): Promise<readonly string[]> {
  return runnerCommand(spec);
}
export const models = [
  anthropicModel({ model: 'claude' }),
  bedrockModel({ model: 'claude' }),
  openaiModel({ model: 'gpt' }),
  scriptedModel([]),
];

const stock = { inputSchema: {}, execute: (input: { item: string }) => input.item };
export const aiSdk = [
  executeCodeTool({ executor: new SandboxExecutor(), sessionKey: 'a', tools: { stock } }),
  aiSdkTools({ stock }),
  aiSdkModel,
];

export const contract: readonly ContractTest[] = contractSuite({
  name: 'embedded',
  language: 'python',
  provider: () => embeddedProvider(),
  cannot: { subprocesses: 'WebAssembly has no processes' },
}).tests;

export async function ask(question: string): Promise<string> {
  const onEvent = (event: RunEvent): void => console.log(event.type);
  try {
    await using executor = new SandboxExecutor({ tools });
    const { status } = await executor.execute('print(await add(left=1, right=2))');
    await using orchestrator = new ProgrammaticToolOrchestrator({
      model: scriptedModel([]),
      tools,
    });
    return status + (await orchestrator.run(question, { onEvent })).text;
  } catch (error) {
    return error instanceof PtcError ? error.code : String(error);
  }
}

export function addService(document: object, token: string): void {
  tools.addSource(openApiTools({ name: 'shop', document, auth: { token } }));
}

export async function addServer(url: string): Promise<() => Promise<void>> {
  const source = await mcpTools({ name: 'issues', url });
  tools.addSource(source);
  return async () => source.close();
}

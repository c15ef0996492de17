import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { Session } from '../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { Tool, ToolContext } from '../../src/tools/tool.ts';
import { uniqueKey } from '../support/unique-key.ts';

const KEY = uniqueKey('context-types');

// The compiler checks these: an expected error that does not come is an error.

interface User {
  readonly user: { readonly id: string };
}
interface App extends User {
  readonly database: Map<string, number>;
}
const app: App = { user: { id: 'ann' }, database: new Map() };

const common = { description: 'Does it.' };
const ordersOf = defineTool({
  ...common,
  name: 'orders_of',
  inputSchema: z.object({ year: z.number() }),
  run: ({ year }, { context }: ToolContext<App>) =>
    context.database.get(`${context.user.id}/${year}`),
});
const whoAmI = defineTool({
  ...common,
  name: 'who_am_i',
  run: (_input, { context }: ToolContext<User>) => context.user.id,
});
const add = defineTool<{ x: number }>({ ...common, name: 'add', run: ({ x }) => x + 1 });

const model = scriptedModel([]);
const needing = new ToolRegistry([ordersOf]);

test('a tool has the context that its function takes, and a registry that of its tools', () => {
  expectTypeOf(ordersOf).toEqualTypeOf<Tool<App, { year: number }, 'orders_of'>>();
  expectTypeOf(add).toEqualTypeOf<Tool<unknown, { x: number }>>();
  expectTypeOf(needing).toEqualTypeOf<ToolRegistry<App>>();
  expectTypeOf(new ToolRegistry([ordersOf, whoAmI, add])).toEqualTypeOf<ToolRegistry<App>>();
  expectTypeOf(new ToolRegistry([add])).toEqualTypeOf<ToolRegistry<unknown>>();
  const definition = {
    ...common,
    name: 'other',
    run: (_input: unknown, { context }: ToolContext<App>) => context.user.id,
  };
  expectTypeOf(new ToolRegistry([definition])).toEqualTypeOf<ToolRegistry<App>>();
});

test('a registry takes no tool that needs more than it gives', () => {
  expectTypeOf(new ToolRegistry<App>([add, whoAmI]).register(ordersOf)).toEqualTypeOf<Tool<App>>();
  // @ts-expect-error it needs a database
  expect(new ToolRegistry<User>([whoAmI]).register(ordersOf)).toBe(ordersOf);
  // @ts-expect-error it needs a user
  expect(new ToolRegistry([add]).register(whoAmI)).toBe(whoAmI);
});

test('tools that need different parts of a context need its type', () => {
  const count = defineTool({
    ...common,
    name: 'count',
    run: (_input, { context }: ToolContext<Pick<App, 'database'>>) => context.database.size,
  });
  // @ts-expect-error none of the two needs is the other
  const unnamed = new ToolRegistry([whoAmI, count]);
  expectTypeOf(unnamed).toExtend<ToolRegistry>();
  expectTypeOf(new ToolRegistry<App>([whoAmI, count]).list()).toEqualTypeOf<readonly Tool<App>[]>();
});

/** Is compiled and never run. */
export async function runs(): Promise<void> {
  const orchestrator = new ProgrammaticToolOrchestrator({ model, tools: needing });
  await orchestrator.run('Go.', { context: app });
  await orchestrator
    .fork({ sessionKey: uniqueKey('fork') })
    .run('Go.', { context: app, maxTurns: 2 });
  orchestrator.registerTool(whoAmI);
  orchestrator.stream('Go.', { context: app });
  // @ts-expect-error no options
  await orchestrator.run('Go.');
  // @ts-expect-error no context
  await orchestrator.run('Go.', { maxTurns: 2 });
  // @ts-expect-error no database
  await orchestrator.run('Go.', { context: { user: { id: 'ann' } } });
  // @ts-expect-error an id is a text
  await orchestrator.fork().run('Go.', { context: { ...app, user: { id: 1 } } });
  // @ts-expect-error no context
  orchestrator.stream('Go.');

  const shared = new ProgrammaticToolOrchestrator({
    model,
    tools: needing,
    executor: new SandboxExecutor(),
  });
  await shared.run('Go.', { context: app });
  // @ts-expect-error no context
  await shared.run('Go.');
}

/** Is compiled and never run. */
export async function programs(): Promise<void> {
  const executor = new SandboxExecutor({ tools: needing });
  await executor.execute('1', { context: app });
  // @ts-expect-error no context
  await executor.execute('1', { sessionKey: KEY });
  const session = await executor.acquire({ sessionKey: KEY });
  await session.execute('1', { context: app });
  // @ts-expect-error no context
  await session.execute('1');
  const own = await executor.acquire({ tools: new ToolRegistry([whoAmI]) });
  await own.execute('1', { context: { user: { id: 'ann' } } });
  // @ts-expect-error no user
  await own.execute('1', { context: {} });

  const code = codeTool({ executor, tools: needing });
  await code.execute({ code: '1' }, { context: app });
  // @ts-expect-error no context
  await code.execute({ code: '1' });
}

/** Is compiled and never run. */
export async function withoutContext(): Promise<void> {
  const tools = new ToolRegistry([add]);
  const executor = new SandboxExecutor({ tools });
  await executor.execute('1');
  await executor.execute('1', { context: 'anything' });
  const session: Session = await executor.acquire();
  await session.execute('1');
  const orchestrator: ProgrammaticToolOrchestrator = new ProgrammaticToolOrchestrator({
    model,
    tools,
    executor,
  });
  await orchestrator.run('Go.');
  await codeTool({ executor }).execute({ code: '1' });
  // What is needed may be any part of a context, or may be left out.
  const maybe = defineTool({
    ...common,
    name: 'maybe',
    run: (_input, { context }: ToolContext<User | undefined>) => context?.user.id,
  });
  const optional = new SandboxExecutor({ tools: new ToolRegistry([maybe]) });
  await optional.execute('1');
  // @ts-expect-error no user
  await optional.execute('1', { context: {} });
}

/** Is compiled and never run. */
export async function unknownNeeds(executor: SandboxExecutor, tool: Tool): Promise<void> {
  const tools: Tool[] = [ordersOf, add, tool];
  const registry: ToolRegistry = new ToolRegistry(tools);
  registry.register(ordersOf);
  await executor.execute('1', { tools: registry, context: app });
  await new SandboxExecutor({ tools: registry }).execute('1');
}

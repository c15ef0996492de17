import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolsOption } from '../../src/tools/registry/tools-option.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { converse, runs, says } from '../orchestrator/support.ts';
import { useExecutors } from './support.ts';

const makeExecutor = useExecutors();
const add = { name: 'add', description: 'Adds.', run: () => 3 };
const ADD = 'print(await add())';
const SUM = { status: 'ok', stdout: '3\n' };

describe.each<[string, () => ToolsOption]>([
  ['an array of definitions', () => [add]],
  ['an array of tools', () => [defineTool(add)]],
  ['another iterable', () => new Set([defineTool(add)])],
])('%s as tools', (_what, tools) => {
  it('is taken by an executor', async () => {
    await using executor = new SandboxExecutor({
      provider: unisolatedLocalProvider(),
      tools: tools(),
    });
    expect(await executor.execute(ADD)).toMatchObject(SUM);
  });

  it('is taken by a session and by a program', async () => {
    const { executor } = makeExecutor();
    await using session = await executor.acquire({ tools: tools() });
    expect(await session.execute(ADD)).toMatchObject(SUM);
    expect(await session.execute(ADD, { tools: [] })).toMatchObject({ status: 'error' });
    expect(await executor.execute(ADD, { tools: tools() })).toMatchObject(SUM);
  });

  it('is taken by a code tool and by its calls', async () => {
    const { executor } = makeExecutor();
    await using tool = codeTool({ executor, tools: tools() });
    expect(tool.systemPrompt).toContain('add(');
    expect((await tool.execute({ code: ADD })).text).toBe('3');
    await using without = codeTool({ executor });
    expect((await without.execute({ code: ADD }, { tools: tools() })).text).toBe('3');
  });

  it('is taken by a conversation and by a run', async () => {
    const script = [runs(ADD), says('Done.'), runs(ADD), says('Done.')];
    const { orchestrator, results } = converse(script);
    const own = new ProgrammaticToolOrchestrator({ model: scriptedModel([]), tools: tools() });
    expect(own.tools.list().map(({ name }) => name)).toEqual(['add']);
    await own.close();
    await orchestrator.run('Add.', { tools: tools() });
    expect(results(1)).toEqual([{ text: '3', isError: false }]);
    await orchestrator.run('Add.');
    expect(results(3)[0]?.isError).toBe(true);
  });
});

const wrong = 'add' as unknown as ToolsOption;

it('text is refused wherever tools are expected, before a sandbox starts', async () => {
  const { executor } = makeExecutor();
  const model = scriptedModel([]);
  const refusal = {
    code: 'OPTION_INVALID',
    message: 'tools must be an array of tools, or a ToolRegistry, not "add".',
  };
  const orchestrator = new ProgrammaticToolOrchestrator({ model, executor });
  for (const make of [
    () => new SandboxExecutor({ tools: wrong }),
    () => new ProgrammaticToolOrchestrator({ model, executor, tools: wrong }),
    () => codeTool({ executor, tools: wrong }),
  ]) {
    expect(make).toThrow(expect.objectContaining(refusal));
  }
  await expect(executor.acquire({ tools: wrong })).rejects.toMatchObject(refusal);
  await expect(executor.execute('1', { tools: wrong })).rejects.toMatchObject(refusal);
  await expect(orchestrator.run('Add.', { tools: wrong })).rejects.toMatchObject(refusal);
  expect(executor.activeSessions).toEqual([]);
  await orchestrator.close();
});

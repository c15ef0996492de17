import { expect, test } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import { useExecutors } from './support.ts';

const makeExecutor = useExecutors();

/** As somebody writes it who has no compiler. */
const tools = [{ name: 'add', description: 'Adds.', run: () => 3 }] as unknown as ToolRegistry;
const refusal = {
  code: 'OPTION_INVALID',
  message:
    'tools must be a ToolRegistry, not an array. Make one from your tools: new ToolRegistry([…]).',
};

test('an array of tools is refused wherever a set of tools is expected', async () => {
  const { executor } = makeExecutor();
  const model = scriptedModel([]);
  const orchestrator = new ProgrammaticToolOrchestrator({ model, executor });
  expect(() => new SandboxExecutor({ tools })).toThrow(expect.objectContaining(refusal));
  expect(() => new ProgrammaticToolOrchestrator({ model, executor, tools })).toThrow(
    expect.objectContaining(refusal),
  );
  expect(() => codeTool({ executor, tools })).toThrow(expect.objectContaining(refusal));
  await expect(executor.acquire({ tools })).rejects.toMatchObject(refusal);
  await expect(executor.execute('1', { tools })).rejects.toMatchObject(refusal);
  await expect(orchestrator.run('Add.', { tools })).rejects.toMatchObject(refusal);
  expect(executor.activeSessions).toEqual([]);
  await orchestrator.close();
});

import { expect, it } from 'vitest';
import { scriptedModel } from '../../../src/models/scripted.ts';
import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { useExecutors } from '../../sessions/support.ts';
import { SourceOfTest } from '../../support/source-of-test.ts';

const makeExecutor = useExecutors();

function tool(name: string): ToolDefinition {
  return { name, description: 'Does it.', run: () => name };
}

function converse(options: Partial<OrchestratorOptions> = {}): ProgrammaticToolOrchestrator {
  const { executor } = makeExecutor();
  return new ProgrammaticToolOrchestrator({ model: scriptedModel([]), executor, ...options });
}

function names({ tools }: ProgrammaticToolOrchestrator): string[] {
  return tools.list().map(({ name }) => name);
}

it('a closed conversation and a closed fork follow no source any more, and keep their tools', async () => {
  const source = new SourceOfTest('github', [tool('list')]);
  const origin = converse();
  origin.tools.addSource(source);
  const fork = origin.fork();
  const forkOfFork = fork.fork();
  expect(source.followers).toBe(3);
  await fork.close();
  await fork.close();
  expect(source.followers).toBe(2);
  source.change([tool('get')]);
  expect(names(fork)).toEqual(['github:list']);
  expect(names(forkOfFork)).toEqual(['github:get']);
  await Promise.all([origin.close(), forkOfFork.close()]);
  expect(source.followers).toBe(0);
  expect(names(origin)).toEqual(['github:get']);
});

it('a source that is added to a closed conversation is not followed', async () => {
  const source = new SourceOfTest('github', [tool('list')]);
  const closed = converse();
  await closed.close();
  closed.tools.addSource(source);
  expect(names(closed)).toEqual(['github:list']);
  expect(source.followers).toBe(0);
});

it('a fork that cannot be made, and one with tools of its own, follow no source', async () => {
  const source = new SourceOfTest('github', [tool('list')]);
  const origin = converse();
  origin.tools.addSource(source);
  expect(() => origin.fork({ labels: { user: 5 as never } })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  );
  expect(source.followers).toBe(1);
  const fork = origin.fork({ tools: [tool('own')] });
  expect(names(fork)).toEqual(['own']);
  expect(source.followers).toBe(1);
  const broken = new SourceOfTest('shop', [tool('buy')]);
  origin.tools.addSource(broken);
  broken.change([tool('buy'), tool('buy')]);
  expect(() => origin.fork()).toThrow(expect.objectContaining({ code: 'TOOL_NAME_CLASH' }));
  expect(source.followers).toBe(1);
  await Promise.all([origin.close(), fork.close()]);
  expect([source.followers, broken.followers]).toEqual([0, 0]);
});

it('a registry that was passed follows its sources after a conversation with it is closed', async () => {
  const source = new SourceOfTest('github', [tool('list')]);
  const shared = new ToolRegistry();
  shared.addSource(source);
  const closed = converse({ tools: shared });
  const other = converse({ tools: shared });
  const fork = other.fork();
  await Promise.all([closed.close(), fork.close()]);
  source.change([tool('get')]);
  expect(shared.list().map(({ name }) => name)).toEqual(['github:get']);
  expect(names(other)).toEqual(['github:get']);
  await other.close();
  expect(source.followers).toBe(1);
});

it('a conversation that was given the registry of a fork leaves it as it is', async () => {
  const source = new SourceOfTest('github', [tool('list')]);
  const origin = converse();
  origin.tools.addSource(source);
  const fork = origin.fork();
  const other = converse({ tools: fork.tools });
  await other.close();
  source.change([tool('get')]);
  expect(names(fork)).toEqual(['github:get']);
  await Promise.all([origin.close(), fork.close()]);
});

it('a conversation whose session cannot be ended follows no source any more either', async () => {
  const { executor } = makeExecutor();
  const closeSession = async (): Promise<void> => {
    throw new Error('The machine of the executor does not answer.');
  };
  const remote = new Proxy(executor, {
    get: (_, name: keyof typeof executor) => {
      const member: unknown = name === 'closeSession' ? closeSession : executor[name];
      return typeof member === 'function' ? (member.bind(executor) as unknown) : member;
    },
  });
  const conversation = converse({ executor: remote });
  const source = new SourceOfTest('github', [tool('list')]);
  conversation.tools.addSource(source);
  await conversation.files.write('a.txt', 'a');
  await expect(conversation.close()).rejects.toThrow('does not answer');
  expect(source.followers).toBe(0);
});

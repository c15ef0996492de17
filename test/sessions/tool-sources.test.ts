import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { converse, runs, says } from '../orchestrator/support.ts';
import { SourceOfTest } from '../support/source-of-test.ts';
import { useExecutors } from './support.ts';

const makeExecutor = useExecutors();

function answering(name: string): ToolDefinition {
  return { name, description: `Answers ${name}.`, run: () => name };
}

describe('the programs of a session', () => {
  it('have the tools of a source as they were when each began, and keep their variables', async () => {
    const source = new SourceOfTest('github', []);
    const tools = new ToolRegistry();
    tools.addSource(source);
    const { executor } = makeExecutor({ tools });
    source.change([
      {
        ...answering('swap'),
        run: () => {
          source.change([answering('added')]);
          return 'changed';
        },
      },
    ]);
    await using session = await executor.acquire();
    const first = await session.execute(
      'kept = 1\nprint(await github_swap(), await github_swap())\nprint("github_added" in globals())',
    );
    expect(first).toMatchObject({ status: 'ok', stdout: 'changed changed\nFalse\n' });
    const second = await session.execute('print(kept, await github_added())');
    expect(second).toMatchObject({ status: 'ok', stdout: '1 added\n' });
  });
});

describe('a conversation', () => {
  it('has in its next run what a source of its registry has become', async () => {
    const source = new SourceOfTest('github', [answering('old')]);
    const tools = new ToolRegistry();
    const { executor } = makeExecutor();
    const { orchestrator, requests, results } = converse(
      [
        runs('x = 1\nprint(await github_old())'),
        says('One.'),
        runs('print(x, await github_new())'),
        says('Two.'),
      ],
      { executor, tools },
    );
    tools.addSource(source);
    await orchestrator.run('First.');
    expect(results(1)).toEqual([{ text: 'old', isError: false }]);
    source.change([answering('new')]);
    await orchestrator.run('Second.');
    expect(requests[1]?.system).toContain('def old(');
    expect(requests[2]?.system).toContain('def new(');
    expect(requests[2]?.system).not.toContain('def old(');
    expect(results(3)).toEqual([{ text: '1 new', isError: false }]);
  });
});

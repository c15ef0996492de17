import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import type {
  OrchestratorOptions,
  RunOptions,
} from '../../src/orchestrator/orchestrator-options.ts';
import type { ForkOptions } from '../../src/orchestrator/fork-options.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { useExecutors } from '../sessions/support.ts';
import { converse, refusalOf, runs, says, uses } from './support.ts';

const makeExecutor = useExecutors();
const order = { name: 'order', description: 'Orders.', run: () => 'ordered' };
const denied = { rules: [{ tool: 'order', action: 'deny' as const }] };

/** Options as programs without types may give them. */
function undefinedOptions<Options>(...names: readonly (keyof Options)[]): Options {
  return Object.fromEntries(names.map((name) => [name, undefined])) as Options;
}

describe('an option of a run that is undefined', () => {
  it('leaves the limits of the conversation as they are', async () => {
    const { orchestrator } = converse([[uses('order', {})], [uses('order', {}, 'b')], says('.')], {
      toolList: [{ ...order, allowedCallers: ['direct'] }],
      maxToolCalls: 1,
      maxCost: 1,
      priceOf: () => 0.6,
    });
    const options = undefinedOptions<RunOptions>('maxToolCalls', 'maxCost', 'priceOf');
    expect(await refusalOf(orchestrator.run('Go.', options))).toMatchObject({ code: 'RUN_LIMIT' });
  });

  it('leaves its time limit, its instructions and its model as they are', async () => {
    const { orchestrator, requests } = converse([says('Yes.')], { instructions: 'Be brief.' });
    const options = undefinedOptions<RunOptions>('instructions', 'model', 'tools', 'maxTurns');
    await orchestrator.run('Go.', options);
    expect(requests[0]?.system).toContain('Be brief.');

    const { orchestrator: timed } = converse([says('Never.')], {
      runTimeoutMs: 20,
      prepareTurn: () => new Promise(() => {}),
    });
    const noLimit = undefinedOptions<RunOptions>('runTimeoutMs', 'prepareTurn');
    expect(await refusalOf(timed.run('Go.', noLimit))).toMatchObject({ code: 'RUN_TIMEOUT' });
  });

  it('leaves a fork what it inherits', async () => {
    const { orchestrator } = converse([says('Yes.')], { toolList: [order] });
    const options = undefinedOptions<ForkOptions>('tools', 'model', 'executor');
    await using fork = orchestrator.fork(options);
    expect(fork.tools.get('order')).toBeDefined();
    await fork.run('Go.');
  });
});

describe('an option of a code tool that is undefined', () => {
  it('leaves the policy and the tools of the code tool in force, not those of its executor', async () => {
    const { executor } = makeExecutor({ tools: new ToolRegistry([order]) });
    const strict = codeTool({ executor, policy: denied });
    const without = codeTool({ executor, tools: new ToolRegistry([]) });
    const call = { code: 'print(await order())' };
    const options = undefinedOptions<object>(...(['policy', 'tools', 'timeoutMs'] as never[]));
    expect(await strict.execute(call, options)).toMatchObject({
      isError: true,
      result: { toolCalls: 1 },
      text: expect.stringContaining('order failed (Denied)'),
    });
    expect((await strict.execute(call)).text).toContain('order failed (Denied)');
    expect(await without.execute(call, options)).toMatchObject({
      isError: true,
      text: expect.stringContaining("'order' is not defined"),
    });
  });
});

describe('an option of an executor that is undefined', () => {
  it('has its default, also as one limit or budget', async () => {
    const { executor, provider } = makeExecutor({
      limits: { memoryBytes: undefined },
      budgets: { calls: undefined, callBytes: undefined },
      timeoutMs: undefined,
      sessionIdleTimeoutMs: undefined,
      maxSandboxes: undefined,
      languages: undefined,
    } as unknown as SandboxExecutorOptions);
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    expect(provider.created.size).toBe(1);
  });

  it('has its default in an orchestrator with its own executor', async () => {
    const options = undefinedOptions<OrchestratorOptions>('policy', 'languages', 'tools', 'labels');
    const { orchestrator } = converse([runs('print(1)'), says('.')], {
      ...options,
      model: scriptedModel([runs('print(1)'), says('.')]),
    });
    await orchestrator.run('Go.');
    expect(JSON.stringify(orchestrator.messages)).toContain('"text":"1"');
  });
});

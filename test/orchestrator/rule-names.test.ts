import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import type { Approval } from '../../src/tools/policy/approval.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import type { PolicyRule } from '../../src/tools/policy/policy.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { ToolsOption } from '../../src/tools/registry/tools-option.ts';
import { useExecutors } from '../sessions/support.ts';
import { converse, refusalOf, runs, says, uses } from './support.ts';

const make = useExecutors();

afterEach(() => {
  vi.restoreAllMocks();
});

const toolOf = (name: string): { name: string; description: string; run: () => string } => ({
  name,
  description: `Does ${name}.`,
  run: () => `did ${name}`,
});
const toolsOf = (...names: string[]): ToolRegistry => new ToolRegistry(names.map(toolOf));

function denying(...tool: string[]): PolicyOptions {
  return { rules: [{ tool, action: 'deny', reason: 'closed' }] };
}

const approve = async (): Promise<Approval> => ({ approved: true });

/** The messages of the warnings about rules, as the process gets them. */
function watchWarnings(): () => unknown[] {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return () => {
    const calls = warned.mock.calls as unknown as [string, { readonly code?: string }?][];
    return calls.flatMap(([text, about]) => (about?.code === 'PTC_RULE_UNUSED' ? [text] : []));
  };
}

/** What takes a policy beside tools of which no more can come. */
const TAKERS: readonly (readonly [
  string,
  (tools: ToolsOption, policy: PolicyOptions) => unknown,
])[] = [
  ['an executor', (tools, policy) => make({ tools, policy })],
  ['a conversation', (tools, policy) => converse([], { tools, policy })],
  [
    'a conversation with the executor’s tools',
    (tools, policy) => converse([], { executor: make({ tools }).executor, tools, policy }),
  ],
  ['a code tool', (tools, policy) => codeTool({ executor: make().executor, tools, policy })],
  [
    'a code tool with the executor’s tools',
    (tools, policy) => codeTool({ executor: make({ tools }).executor, policy }),
  ],
];

const MISSPELT: readonly (readonly [string, string | undefined])[] = [
  ['refnud', 'refund'],
  ['refunds', 'refund'],
  ['Refund', 'refund'],
  [' refund', 'refund'],
  ['refund\n', 'refund'],
  ['db:dorp', 'db:drop'],
  ['db.drop', 'db:drop'],
  ['launch', undefined],
  ['execute_code', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
];

describe.each(TAKERS)('for %s, a rule', (_, take) => {
  const tools = [toolOf('refund'), toolOf('db:drop')];

  it.each(MISSPELT)('that names no tool is refused: %j', (name, meant) => {
    const advice =
      meant === undefined
        ? 'The tools are "refund", "db:drop".'
        : `Did you mean ${JSON.stringify(meant)}?`;
    const message = `policy.rules[1].tool names no tool: ${JSON.stringify(name)}. ${advice} If the tool is registered later, see docs/policy.md.`;
    const details = { option: 'policy.rules[1].tool', value: name };
    for (const action of ['allow', 'deny', 'ask'] as const) {
      const rules: PolicyRule[] = [
        { tool: 'refund', action: 'allow' },
        { tool: ['db:drop', name], when: () => false, action },
      ];
      const policy = { rules, approver: approve };
      expect(() => take(tools, policy)).toThrow(
        expect.objectContaining({
          code: 'OPTION_INVALID',
          message,
          details: meant === undefined ? details : { ...details, meant },
        }),
      );
    }
  });

  it('that names a tool, all tools or a prefix of tools is accepted', () => {
    const warnings = watchWarnings();
    const policy = denying('refund', 'db:drop', '*', 'db:*', 'ref*', 'refund*');
    expect(() => take(tools, policy)).not.toThrow();
    expect(warnings()).toEqual([]);
  });
});

it('a rule is accepted just if a tool has its name', () => {
  const name = fc.stringMatching(/^[a-z]{1,3}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1 }), name, (names, named) => {
      const act = (): unknown => make({ tools: names.map(toolOf), policy: denying(named) });
      if (names.includes(named)) expect(act).not.toThrow();
      else expect(act).toThrow(`names no tool: "${named}"`);
    }),
  );
});

it('a message shows only the first ten of many tools', () => {
  const tools = Array.from({ length: 11 }, (_, index) => toolOf(`tool_${index}`));
  expect(() => make({ tools, policy: denying('launch') })).toThrow(/"tool_9", …\. If/);
});

const TRY = 'try:\n    print(await refund())\nexcept ToolError as error:\n    print(error.type)';

describe('a rule for a tool that can still be registered', () => {
  it('is accepted, and a program is refused until the tool is there', async () => {
    const tools = toolsOf('look');
    const { executor, provider } = make({ tools, policy: denying('refund') });
    expect(await refusalOf(executor.execute(TRY))).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/^policy\.rules\[0\]\.tool names no tool: "refund"/),
    });
    expect(provider.created.size).toBe(0);
    tools.register(toolOf('refund'));
    expect((await executor.execute(TRY)).stdout).toBe('Denied\n');
  });

  it('is accepted from an executor whose tools come with the programs', async () => {
    const { executor } = make({ policy: denying('refund') });
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    expect((await executor.execute(TRY, { tools: toolsOf('refund') })).stdout).toBe('Denied\n');
    const session = await executor.acquire({ tools: toolsOf('refnud') });
    expect(await refusalOf(session.execute(TRY))).toMatchObject({ details: { meant: 'refnud' } });
  });

  it('is refused for a program that brings the policy', async () => {
    const { executor } = make({ tools: toolsOf('refund') });
    const refused = executor.execute(TRY, { policy: denying('refnud') });
    expect(await refusalOf(refused)).toMatchObject({ details: { meant: 'refund' } });
  });

  it('is refused for the first call of a code tool', async () => {
    const { executor } = make();
    const onHostError = vi.fn<(error: unknown) => void>();
    const policy = denying('refund');
    const tool = codeTool({ executor, tools: toolsOf('look'), policy, onHostError });
    const error = await refusalOf(tool.execute({ code: TRY }));
    expect(error).toMatchObject({ code: 'OPTION_INVALID', details: { value: 'refund' } });
    expect(onHostError).toHaveBeenCalledWith(error);
  });

  it('is refused for a run, before the model is asked', async () => {
    const { orchestrator, requests } = converse([runs(TRY), says('Done.')], {
      tools: toolsOf('look'),
      policy: denying('refund'),
    });
    const error = await refusalOf(orchestrator.run('Pay back.'));
    expect(error).toMatchObject({ code: 'OPTION_INVALID', details: { value: 'refund' } });
    expect(requests).toEqual([]);
    orchestrator.registerTool(toolOf('refund'));
    await orchestrator.run('Pay back.');
    expect(requests[1]?.messages.at(-1)?.content).toMatchObject([{ text: 'Denied' }]);
  });
});

describe('a rule for a tool that only some have', () => {
  const policy = denying('refund');

  it('is accepted for a program if its session or its executor has the tool', async () => {
    const show = toolsOf('look');
    const { executor } = make({ tools: toolsOf('look', 'refund'), policy });
    expect(await executor.execute('await look()', { tools: show })).toMatchObject({
      success: true,
    });
    const shown = await executor.acquire({ tools: show });
    expect(await shown.execute('await look()')).toMatchObject({ success: true });
    const other = make({ policy }).executor;
    const session = await other.acquire({ tools: toolsOf('look', 'refund') });
    expect(await session.execute('await look()', { tools: show })).toMatchObject({ success: true });
  });

  it('is accepted for a call of a code tool if another call can have the tool', async () => {
    const { executor } = make();
    const tool = codeTool({ executor, tools: toolsOf('look', 'refund'), policy });
    const answer = await tool.execute({ code: 'print(await look())' }, { tools: toolsOf('look') });
    expect(answer.text).toContain('did look');
  });

  it('is accepted for a run if another run can have the tool', async () => {
    const { orchestrator, results } = converse(
      [[uses('look', {}), uses('execute_code', { code: 'print(await look())' })], says('Done.')],
      { executor: make().executor, tools: toolsOf('look', 'refund'), policy },
    );
    const show = { ...toolOf('look'), allowedCallers: ['code', 'direct'] as const };
    await orchestrator.run('Show.', { tools: [show] });
    expect(results(1).map(({ isError }) => isError)).toEqual([false, false]);
  });
});

describe('a rule for annotations', () => {
  const rule = { tool: ['db:*', 'refund'], annotations: { readOnlyHint: true } } as const;
  const policy: PolicyOptions = { rules: [{ ...rule, action: 'deny' }] };
  const message =
    'policy.rules[0] applies to no tool: none of those that it names has the annotations {"readOnlyHint":true}. A tool that does not give a hint is not a match for it.';

  it('that none of its tools has causes a warning, once, when the tools are known', async () => {
    const warnings = watchWarnings();
    const other = { ...toolOf('look'), annotations: { readOnlyHint: true } };
    const tools = new ToolRegistry([toolOf('refund'), toolOf('db:drop'), other]);
    const { executor } = make({ tools, policy });
    expect(warnings()).toEqual([]);
    await executor.execute('await look()');
    await executor.execute('await look()');
    expect(warnings()).toEqual([message]);
  });

  it('that one of its tools has causes none', () => {
    const warnings = watchWarnings();
    const list = { ...toolOf('db:list'), annotations: { readOnlyHint: true } };
    make({ tools: [toolOf('refund'), list], policy: { rules: [...policy.rules] } });
    expect(warnings()).toEqual([]);
  });
});

describe('a rule with a prefix that no tool has', () => {
  it('causes a warning, with what may be meant', () => {
    const warnings = watchWarnings();
    make({ tools: [toolOf('db:drop')], policy: denying('db:drop', 'bd:*', 'mail:*') });
    expect(warnings()).toEqual([
      'policy.rules[0].tool matches no tool: "bd:*". Did you mean "db:*"?',
      'policy.rules[0].tool matches no tool: "mail:*".',
    ]);
  });

  it('causes it once, when the first program runs', async () => {
    const warnings = watchWarnings();
    const policy = denying('mail:*');
    const { executor } = make({ tools: toolsOf('look'), policy });
    expect(warnings()).toEqual([]);
    await executor.execute('await look()');
    await executor.execute('await look()');
    // A server makes a conversation for each message.
    for (const _ of [1, 2]) {
      const turns = [runs('await look()'), says('Done.')];
      await converse(turns, { executor }).orchestrator.run('Show.');
    }
    expect(warnings()).toEqual(['policy.rules[0].tool matches no tool: "mail:*".']);
  });
});

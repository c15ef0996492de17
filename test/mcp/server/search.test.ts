import { describe, expect, it } from 'vitest';
import { EXECUTE_CODE } from '../../../src/orchestrator/code/code-tool-definition.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import { useBench } from '../../support/bench.ts';
import { connect, ERA_NAMES, runCode, textOf } from './support.ts';

const bench = useBench({ languages: ['python', 'typescript'] });
const NAMES = [EXECUTE_CODE, 'search_tools', 'describe_tools'];

/** A source with more tools than a prompt documents. */
function manyTools(count: number): ToolRegistry {
  const tools = new ToolRegistry();
  const noun = (index: number): string => (index === 0 ? 'invoice' : `thing_${index}`);
  const made = Array.from({ length: count }, (_, index) => ({
    name: `close_${noun(index)}`,
    description: `Closes it. ${'Says more about it. '.repeat(10)}`,
    inputSchema: { type: 'object', properties: { number: { type: 'integer' } } },
    run: () => `closed ${index}`,
  }));
  tools.addSource({ name: 'crm', tools: () => made as never });
  return tools;
}

describe.each(ERA_NAMES)('the search of tools for a client of the revision %s', (era) => {
  it('is beside execute_code if the tools are many, and finds what programs call', async () => {
    const { client } = await connect(era, { executor: bench.executor, tools: manyTools(200) });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    expect(tools[1]).toMatchObject({
      description: expect.not.stringContaining('print'),
      annotations: { readOnlyHint: true },
    });
    expect(tools[0]?.description).not.toContain('close_invoice');

    const found = await client.callTool({
      name: 'search_tools',
      arguments: { query: 'close an invoice', limit: 1 },
    });
    expect(textOf(found)).toMatch(
      /^In Python:\n\n.*crm.*close_invoice\(.*In TypeScript:\n\n.*close_invoice\(/s,
    );
    const code = `print(await search_tools("close an invoice", limit=1))
print(await crm.close_invoice(number=1))`;
    expect(textOf(await runCode(client, code))).toMatch(/^class crm:.*close_invoice.*\nclosed 0$/s);
  });

  it('documents tools by their names', async () => {
    const { client } = await connect(era, { executor: bench.executor, tools: manyTools(200) });
    const described = await client.callTool({
      name: 'describe_tools',
      arguments: { names: ['crm.close_invoice', 'crm.close_nothing'] },
    });
    expect(textOf(described)).toMatch(/close_invoice.*There is no tool "crm\.close_nothing"/s);
  });
});

describe('the search of tools for clients', () => {
  it('is there as catalog says', async () => {
    const namesFor = async (count: number, catalog: 'auto' | 'full' | 'search') => {
      const options = { executor: bench.executor, tools: manyTools(count), catalog };
      const { client } = await connect('2026-07-28', options);
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    expect(await namesFor(1, 'auto')).toEqual([EXECUTE_CODE]);
    expect(await namesFor(1, 'search')).toEqual(NAMES);
    expect(await namesFor(200, 'full')).toEqual([EXECUTE_CODE]);
  });

  it('is allowed by each policy, and does not show what the policy always denies', async () => {
    const policy: PolicyOptions = {
      rules: [
        { tool: 'crm:close_thing_1', action: 'deny', reason: 'not now' },
        { tool: '*', action: 'deny', when: () => true, reason: 'nothing' },
      ],
    };
    const options = { executor: bench.executor, tools: manyTools(200), policy };
    const { client } = await connect('2026-07-28', options);
    const names = ['crm.close_thing_1', 'crm.close_thing_2'];
    const result = await client.callTool({ name: 'describe_tools', arguments: { names } });
    expect(textOf(result)).toContain('def close_thing_2(');
    expect(textOf(result)).not.toContain('def close_thing_1(');
  });
});

import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/models/language-model.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { useExecutors } from '../sessions/support.ts';
import { converse, runs, says } from './support.ts';

const HEADING = 'What the tools returned in this program:';
const getOrders = {
  name: 'get_orders',
  description: 'Lists the orders of a customer.',
  run: () => [
    { id: 1, amounts: { net: 10, gross: 12 } },
    { id: 2, amounts: { net: 20, gross: 24 } },
  ],
};

/** What the model was told last. */
function told({ messages }: ModelRequest): string {
  const [block] = messages.at(-1)?.content ?? [];
  return block?.type === 'tool-result' ? block.text : '';
}

const sumOf = (path: string): string => `print(sum(order${path} for order in await get_orders()))`;

/**
 * A model that guesses a key. If the error shows where the number is, it uses that. Otherwise it has
 * to look at a result first.
 */
function guess(request: ModelRequest): ReturnType<typeof runs> {
  const text = told(request);
  if (text === '') return runs(sumOf('["total"]'), 'guess');
  if (/^\d+$/.test(text)) return says(text);
  const [, key] = /amounts'?: \{.*?(gross)/.exec(text) ?? [];
  if (key !== undefined) return runs(sumOf(`["amounts"]["${key}"]`), 'right');
  return runs('print((await get_orders())[0])', 'look');
}

const makeExecutor = useExecutors();

describe('the shapes of results', () => {
  it.each([
    ['save a turn', true, 3],
    ['save nothing if they are off', false, 4],
  ])('%s, of a model that guessed a key', async (_what, resultShapes, turns) => {
    const { orchestrator, requests } = converse(
      Array.from({ length: 5 }, () => guess),
      {
        toolList: [getOrders],
        executor: { resultShapes },
      },
    );
    const { text } = await orchestrator.run('What is the sum of all orders?');
    expect(text).toBe('36');
    expect(requests).toHaveLength(turns);
  });

  it('are in the answer of codeTool, and fit into its limit', async () => {
    const { executor } = makeExecutor();
    await using tool = codeTool({ executor, tools: [getOrders], maxResultBytes: 1000 });
    const { text, isError, result } = await tool.execute({ code: sumOf('["total"]') });
    const note = `${HEADING}\nget_orders returned a list of 2 of {id: int, amounts: {net: int, gross: int}}`;
    expect(isError).toBe(true);
    expect(text.endsWith(`KeyError: 'total'\n${note}`)).toBe(true);
    expect(result?.error?.traceback.endsWith(note)).toBe(true);
    const long = await tool.execute({ code: `print("x" * 5000)\n${sumOf('["total"]')}` });
    expect(long.text.endsWith(note)).toBe(true);
    expect(Buffer.byteLength(long.text)).toBeLessThanOrEqual(1000);
  });

  it('are observed in a run with a limit of calls too', async () => {
    const tools = new ToolRegistry([getOrders]);
    const { orchestrator } = converse([runs('await get_orders()'), says('Done.')], {
      tools,
      maxToolCalls: 5,
    });
    await orchestrator.run('Look.');
    expect(tools.observedShapes()).toMatchObject({ get_orders: { type: 'array' } });
  });

  it('that an earlier process saved are in the prompt, which stays the same while a conversation lasts', async () => {
    const first = new ToolRegistry([getOrders]);
    const { executor } = makeExecutor({ tools: first });
    await executor.execute(sumOf('["amounts"]["net"]'));
    const observedShapes = first.observedShapes();
    let isOther = false;
    const changing = { ...getOrders, run: () => (isOther ? 'none' : getOrders.run()) };
    const tools = new ToolRegistry([changing], { observedShapes });
    const code = 'print(await get_orders())';
    const { orchestrator, requests } = converse(
      [runs(code, 'one'), says('Done.'), runs(code, 'two'), says('Done.')],
      { tools },
    );
    await orchestrator.run('Look.');
    isOther = true;
    await orchestrator.run('Look again.');
    const prompts = new Set(requests.map(({ system }) => system));
    expect(prompts.size).toBe(1);
    expect([...prompts][0]).toContain(
      'async def get_orders() -> list[{"id": int, "amounts": {"net": int, "gross": int}}]:  # observed\n',
    );
    // What it saw is for the next process.
    expect(tools.observedShapes()['get_orders']).toMatchObject({ type: ['array', 'string'] });
    expect(orchestrator.tools.observedShapes()).toEqual(tools.observedShapes());
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { LanguageName } from '../../src/protocol/messages.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { useBench } from '../support/bench.ts';

const HEADING = 'What the tools returned in this program:';
const ORDERS = Array.from({ length: 40 }, (_, id) => ({
  id,
  customer: { name: `Customer ${id}` },
  total: id / 2,
  ...(id === 30 && { note: 'late' }),
}));
const PYTHON_ORDERS =
  'get_orders returned a list of 40 of {id: int, customer: {name: str}, total: float, note?: str}';
const TYPESCRIPT_ORDERS =
  'get_orders returned an array of 40 of {id: number, customer: {name: string}, total: number, note?: string}';

let result: unknown;
beforeEach(() => {
  result = ORDERS;
});
const inputSchema = { type: 'object', properties: { id: { type: 'integer' } } };
const budgetSchema = { type: 'object', properties: { limit: { type: 'number' } } };
const toolList = [
  { name: 'get_orders', description: 'Lists orders.', run: () => result },
  {
    name: 'shop:item',
    description: 'Gets an item.',
    inputSchema,
    run: (input: unknown) =>
      (input as { id: number }).id === 3
        ? { id: 3, gone: true }
        : { ...(input as object), price: 1 },
  },
  {
    name: 'get_budget',
    description: 'Gets a budget.',
    outputSchema: budgetSchema,
    run: () => ({ limit: 7 }),
  },
  {
    name: 'get_wrong_budget',
    description: 'Gets a budget.',
    outputSchema: budgetSchema,
    run: () => ({ limit: 'S3CRET' }),
  },
];
const bench = useBench({
  toolList,
  languages: ['python', 'typescript', 'javascript', 'bash'],
  checkResults: 'off',
  budgets: { toolCalls: 2000 },
});

/** What the error of a program says below its own traceback; undefined if nothing. */
async function noteOf(
  code: string,
  language: LanguageName = 'python',
): Promise<string | undefined> {
  const { status, error } = await bench.run(code, { language });
  expect(status).toBe('error');
  return error?.traceback.split(`\n${HEADING}\n`)[1];
}

const GET = 'orders = await get_orders()\n';

describe('a program that fails because of the shape of a result is told the shapes', () => {
  it.each([
    ['KeyError', 'print(orders[0]["customer_name"])'],
    ['IndexError', 'print(orders[40])'],
    ['TypeError', 'print(orders["items"])'],
    ['AttributeError', 'print(orders.items())'],
    ['ValueError of unpacking', 'first, second = orders'],
    [
      'KeyError in a function',
      'def name(order):\n  return order["name"]\nprint([name(o) for o in orders])',
    ],
    [
      'KeyError in a group',
      'import asyncio\nasync def one():\n  return orders[0]["name"]\nasync with asyncio.TaskGroup() as group:\n  group.create_task(one())',
    ],
  ])('in Python: %s', async (_type, code) => {
    expect(await noteOf(GET + code)).toBe(PYTHON_ORDERS);
  });

  it.each<[string, string, LanguageName]>([
    ['a property of undefined', 'console.log(orders.items.length);', 'typescript'],
    ['what is not iterable', 'for (const { id } of orders[0]) console.log(id);', 'typescript'],
    ['what is not a function', 'console.log(orders.items());', 'typescript'],
    ['a pattern for undefined', 'const { id } = orders.first;', 'javascript'],
    ['the keys of undefined', 'Object.keys(orders.first);', 'javascript'],
  ])('in JavaScript and TypeScript: %s', async (_what, code, language) => {
    expect(await noteOf(`const orders = await get_orders();\n${code}`, language)).toBe(
      TYPESCRIPT_ORDERS,
    );
  });

  it('of all its calls, with the names that it uses', async () => {
    const items = 'items = [await shop.item(id=n) for n in range(5)]\n';
    expect(await noteOf(`${items}${GET}print(items[0]["cost"])`)).toBe(
      `shop.item returned {id: int, price?: int, gone?: bool} (5 calls)\n${PYTHON_ORDERS}`,
    );
    const code = 'const item = await shop.item({ id: 3 }); item.price.toFixed();';
    expect(await noteOf(code, 'typescript')).toBe('shop.item returned {id: number, gone: boolean}');
  });

  it('only of this program', async () => {
    expect(await noteOf(`${GET}x = orders.a`)).toBe(PYTHON_ORDERS);
    expect(await noteOf('print(orders[0]["name"])')).toBeUndefined();
  });

  it('also if the shape is hard to guess: text, nothing, or an empty list', async () => {
    for (const [value, text] of [
      ['{"id": 1}', 'str'],
      [null, 'None'],
      [[], 'an empty list'],
    ] as const) {
      result = value;
      expect(await noteOf(`${GET}print(orders[0]["id"])`)).toBe(`get_orders returned ${text}`);
    }
  });

  it('with a schema only if the result does not match it, and without values', async () => {
    expect(await noteOf('print((await get_budget())["spent"])')).toBeUndefined();
    expect(await noteOf('print((await get_wrong_budget())["limit"] + 1)')).toBe(
      'get_wrong_budget returned {limit: str}, which does not match its schema: result.limit: expected number, received string',
    );
  });
});

describe('a program is told nothing of shapes', () => {
  it.each([
    ['fails otherwise', `${GET}raise ValueError("no")`],
    ['fails with the error of a tool', `${GET}await shop.item(id="x")`],
    ['called no tool', 'print({}["a"])'],
    ['got no result', 'try:\n  await shop.item(id="x")\nexcept ToolError:\n  {}["a"]'],
  ])('if it %s', async (_what, code) => {
    expect(await noteOf(code)).toBeUndefined();
  });

  it('if it succeeds, whatever it caught', async () => {
    const code = `${GET}try:\n  orders["a"]\nexcept TypeError:\n  print("caught")`;
    expect(await bench.run(code)).toMatchObject({
      status: 'ok',
      stdout: 'caught\n',
      error: undefined,
    });
  });

  it('if it is in bash', async () => {
    expect(await noteOf('get_orders | python3 -c "{}[1]"', 'bash')).toBeUndefined();
  });
});

describe('resultShapes: false', () => {
  const off = useBench({ toolList, resultShapes: false });

  it('tells no program', async () => {
    const { error } = await off.run(`${GET}print(orders["items"])`);
    expect(error?.traceback).toMatch(/^Traceback[^]*TypeError: list indices must be[^]*$/);
    expect(error?.traceback).not.toContain(HEADING);
  });
});

describe('what a program is told is bounded', () => {
  const many = useBench({
    toolList: Array.from({ length: 60 }, (_, number) => ({
      name: `tool_${number}`,
      description: 'A tool.',
      inputSchema,
      run: () => Object.fromEntries('abcdefghijkl'.split('').map((key) => [key.repeat(30), 1])),
    })),
  });

  it('however many tools it calls', async () => {
    const code = 'import asyncio\nfor n in range(60):\n  await globals()[f"tool_{n}"]()\n[][0]';
    const { error } = await many.run(code);
    const note = error?.traceback.split(`${HEADING}\n`)[1] ?? '';
    expect(note).toMatch(/^tool_0 returned \{a{30}: int, [^]*\n\(tools left out here: \d+\)$/);
    expect(note.length).toBeLessThan(4100);
  });

  it('however many calls it makes, and says how many of them', async () => {
    result = [1];
    const code = `for n in range(1200):\n  await get_orders()\nawait shop.item(id=1)\n[][0]`;
    expect(await noteOf(code)).toMatch(
      /^get_orders returned a list of 1 of int \(the last \d{3} of 1200 calls\)\nshop\.item returned \{id: int, price: int\}$/,
    );
  });

  it('however large a result is, of which it says that not all was looked at', async () => {
    await using session = await bench.executor.acquire({
      tools: new ToolRegistry([
        {
          name: 'get_rows',
          description: 'Gets rows.',
          run: () => Array.from({ length: 100_000 }, (_, id) => ({ id, name: 'x'.repeat(30) })),
        },
      ]),
    });
    const { error } = await session.execute('rows = await get_rows()\nprint(rows[0]["key"])');
    expect(error?.traceback).toMatch(
      /\nget_rows returned a list of \d+ or more of \{id: int, name: str\} \(only the beginning of a result was looked at\)$/,
    );
  });
});

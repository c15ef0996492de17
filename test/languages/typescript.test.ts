import { expect, test } from 'vitest';
import { z } from 'zod';
import { javascript, typescript } from '../../src/languages/typescript/typescript.ts';
import { toTool, type ToolDefinition } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { typeErrors } from '../support/type-check.ts';

function tool(definition: Partial<ToolDefinition> = {}): Tool {
  return toTool({ name: 'tool', description: 'Does it.', run: () => 1, ...definition });
}

const expenses = tool({
  name: 'get_expenses',
  description: 'Lists the expenses of an employee.\nNewest first.',
  inputSchema: z.object({
    limit: z.number().int().min(1).max(100).default(10),
    employee_id: z.string().describe('Such as E1.'),
    quarter: z.enum(['Q1', 'Q2']),
    tags: z.array(z.string().max(20)).optional(),
    period: z.object({ from: z.iso.date().nullable(), open: z.boolean() }),
  }),
  outputSchema: z.array(
    z.object({
      id: z.string(),
      amount: z.number().describe('In USD.'),
      note: z.string().optional(),
    }),
  ),
  outputDescription: 'One entry an expense.',
  inputExamples: [{ employee_id: 'E1', quarter: 'Q1', period: { from: null, open: true } }],
});

const toolError =
  'declare class ToolError extends Error {\n  type: string;\n  tool: string;\n}\n\n';

test('a tool is documented as the function that it is', () => {
  expect(typescript.documentation([expenses])).toBe(`${toolError}\
/**
 * Lists the expenses of an employee.
 * Newest first.
 * @returns One entry an expense.
 * @example await get_expenses({ employee_id: "E1", quarter: "Q1", period: { from: null, open: true } })
 */
declare function get_expenses(input: {
  /** integer; >= 1; <= 100; default 10 */
  limit?: number;
  /** Such as E1. */
  employee_id: string;
  quarter: "Q1" | "Q2";
  /** each: at most 20 characters */
  tags?: string[];
  period: {
    /** format date */
    from: string | null;
    open: boolean;
  };
}): Promise<{
  id: string;
  /** In USD. */
  amount: number;
  note?: string;
}[]>;`);
});

test('resources are objects whose functions are their actions, whatever the words are', () => {
  const tools = [
    'orders:list',
    'orders',
    'orders:delete',
    'time:now',
    'delete:it',
    'my-shop:add-item',
  ];
  const text = typescript.documentation(tools.map((name) => tool({ name })));
  expect(text).toBe(`${toolError}\
/** Does it. */
declare function orders(input?: {}): Promise<any>;

declare namespace orders {
  /** Does it. */
  export function list(input?: {}): Promise<any>;
  /** Does it. */
  function delete_(input?: {}): Promise<any>;
  export { delete_ as delete };
}

declare namespace time {
  /** Does it. */
  function now(input?: {}): Promise<any>;
}

declare namespace delete_ {
  /**
   * Does it.
   * (This is the tool "delete:it".)
   */
  function it(input?: {}): Promise<any>;
}

declare namespace my_shop {
  /**
   * Does it.
   * (This is the tool "my-shop:add-item".)
   */
  function add_item(input?: {}): Promise<any>;
}`);
  const calls = 'orders() orders.list() orders.delete() time.now() delete_.it() my_shop.add_item()';
  expect(typeErrors(text, calls.replaceAll(' ', ';'))).toEqual([]);
});

test('a stub has the name of the function on both sides, functions before the objects that they are', () => {
  const names = [
    'orders:list',
    'orders',
    'orders:delete',
    'a:b:c',
    'x:2',
    'x:_2',
    'fetch',
    'fetch:it',
  ];
  const stubs = typescript.stubs(names.map((name) => tool({ name })));
  expect(stubs.map(({ name, identifier }) => [name, identifier])).toEqual([
    ['orders', 'orders'],
    ['a:b:c', 'a_b_c'],
    // Its object has a function of that name.
    ['x:_2', 'x__2'],
    ['fetch', 'fetch_'],
    ['orders:list', 'orders.list'],
    ['orders:delete', 'orders.delete'],
    ['x:2', 'x._2'],
    ['fetch:it', 'fetch_.it'],
  ]);
});

test('a type is written once, under a name of its own, whichever tools use it', () => {
  const order = (description: string): object => ({
    type: 'object',
    properties: { a: { $ref: '#/$defs/Order' }, b: { $ref: '#/$defs/Order' } },
    $defs: { Order: { type: 'object', description, properties: { id: { type: 'string' } } } },
  });
  const text = typescript.documentation([
    tool({ name: 't1', inputSchema: order('One.') }),
    tool({ name: 't2', inputSchema: order('One.') }),
    tool({ name: 't3', inputSchema: order('Another.') }),
  ]);
  expect(text).toContain('function t1(input?: { a?: Order; b?: Order })');
  expect(text).toContain('function t2(input?: { a?: Order; b?: Order })');
  expect(text).toContain('function t3(input?: { a?: Order2; b?: Order2 })');
  expect(text.match(/^interface .*/gm)).toEqual([
    'interface Order { id?: string }',
    'interface Order2 { id?: string }',
  ]);
});

test('a program is checked against the declarations', () => {
  const text = typescript.documentation([expenses]);
  const call =
    'get_expenses({ employee_id: "E1", quarter: "Q1", period: { from: null, open: true } })';
  const program = `
    const found = await ${call};
    try { found[0]?.amount.toFixed(2); } catch (error) {
      if (error instanceof ToolError) error.type + error.tool + error.message;
    }`;
  expect(typeErrors(text, program)).toEqual([]);
  expect(typeErrors(text, call.replace('"Q1"', '"Q5"'))).toEqual([
    'Type \'"Q5"\' is not assignable to type \'"Q1" | "Q2"\'.',
  ]);
  expect(typeErrors(text, `(await ${call})[0]?.amuont;`)[0]).toContain("'amuont' does not exist");
});

test('no description ends the comment that it is in', () => {
  const descriptions = ['*/ declare x', 'line\r\nline */', '\u2028*/', '\0', '\uD800', '/** */'];
  const tools = descriptions.map((description, index) =>
    tool({
      name: `t${index}`,
      description: `Does it. ${description}`,
      outputDescription: description,
      inputSchema: { type: 'object', properties: { [description]: { description } } },
    }),
  );
  expect(typeErrors(typescript.documentation(tools), '')).toEqual([]);
});

test('schemas that unfold to millions of parts, or list thousands of names, stay a short text', () => {
  const definitions = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => {
      const next = { $ref: `#/$defs/D${index + 1}` };
      const names = Array.from({ length: 20 }, (__, member) => [`m${member}`, next]);
      return [`D${index}`, { type: 'object', properties: Object.fromEntries(names) }];
    }),
  );
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`p${index}`, {}]));
  const text = typescript.documentation([
    tool({
      inputSchema: {
        type: 'object',
        properties: {
          x: { $ref: '#/$defs/D0' },
          wide: { type: 'object', properties: wide, required: ['p4999'] },
          values: { enum: Object.keys(wide) },
        },
        $defs: { ...definitions, D30: { enum: Array.from({ length: 200_000 }, String) } },
      },
    }),
  ]);
  expect(text.length).toBeLessThan(20_000);
  expect(text).toContain('/** 4960 more */\n    [key: string]: any;');
  expect(typeErrors(text, 'await tool({ wide: { p4999: 1 }, values: "p4999" });')).toEqual([]);
});

test('JavaScript has the same declarations, and the description names what programs cannot guess', () => {
  expect(javascript.documentation([expenses])).toBe(typescript.documentation([expenses]));
  for (const { title, executeCodeDescription } of [typescript, javascript]) {
    expect(executeCodeDescription).toContain(`Runs ${title} code`);
    for (const fact of ['await', 'Promise.all', 'console.log', 'ToolError', 'no network']) {
      expect(executeCodeDescription).toContain(fact);
    }
    expect(executeCodeDescription.length).toBeLessThan(1200);
  }
});

test.for<[string, string]>([
  ['```ts\nlog(1)\n```', 'log(1)'],
  ['```typescript\nlog(1)\n```\n', 'log(1)'],
  ['```JavaScript\nlog(1)\n```', 'log(1)'],
  ['```js\r\nlog(1)\r\n```', 'log(1)'],
  ['```mjs\nlog(1)\n```', 'log(1)'],
  ['\uFEFF```\nlog(1)\n```', 'log(1)'],
  ['```tsx\nlog(1)\n```', '```tsx\nlog(1)\n```'],
  ['const text = `\n```js\n```\n`', 'const text = `\n```js\n```\n`'],
])('%j runs as %j', ([code, program]) => {
  expect(typescript.program(code)).toBe(program);
  expect(javascript.program(code)).toBe(program);
});

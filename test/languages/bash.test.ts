import { expect, test } from 'vitest';
import { z } from 'zod';
import { bash } from '../../src/languages/bash/bash.ts';
import { toTool, type ToolDefinition } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { readParameters } from '../support/read-parameters.ts';

function tool(definition: Partial<ToolDefinition> = {}): Tool {
  return toTool({ name: 'tool', description: 'Does it.', run: () => 1, ...definition });
}

function raw(properties: object, more: object = {}): Tool {
  return tool({ inputSchema: { type: 'object', properties, ...more } });
}

const expenses = tool({
  name: 'get_expenses',
  description: 'Lists the expenses of an employee.\nNewest first.',
  inputSchema: z.object({
    limit: z.number().int().min(1).max(100).default(10),
    employee_id: z.string().describe('Such as E1.'),
    quarter: z.enum(['Q1', 'Q2']),
    tags: z.array(z.string()).optional(),
    'max-age': z.number().nullable().optional(),
    period: z.object({ from: z.string().nullable(), open: z.boolean().describe('No end.') }),
  }),
  outputSchema: z.array(
    z.object({
      id: z.string(),
      amount: z.number().describe('In USD.'),
      note: z.string().optional(),
    }),
  ),
  outputDescription: 'One entry an expense.',
  inputExamples: [{ employee_id: "E'1", quarter: 'Q1', period: { from: null, open: true } }],
});

test('a tool is documented as the command that it is', () => {
  expect(bash.documentation([expenses])).toBe(`\
get_expenses --employee_id <string> --quarter <"Q1"|"Q2"> --period <{"from": string|null, "open": boolean}> [--limit <integer>] [--tags <[string]>] [--max_age <number|null>]
    Lists the expenses of an employee.
    Newest first.
    --employee_id: Such as E1.
    period.open: No end.
    --limit: >= 1; <= 100; default 10
    --max_age: (in JSON "max-age")
    Prints: [{"id": string, "amount": number, "note"?: string}]
    One entry an expense.
    result[].amount: In USD.
    Example: get_expenses '{"employee_id":"E'\\''1","quarter":"Q1","period":{"from":null,"open":true}}'`);
});

test('the same tools give the same text, and each its own command', () => {
  const tools = [expenses, tool({ name: 'expense:list' })];
  const text = bash.documentation(tools);
  expect(bash.documentation(tools)).toBe(text);
  expect(text).toContain('\n\nexpense_list\n    Does it.\n    (This is the tool "expense:list".)');
});

test('a tool hides no command that programs are likely to mean', () => {
  const tools = ['read', 'read_', 'find', 'exit', 'done', 'search'].map((name) => tool({ name }));
  const identifiers = bash.stubs(tools).map(({ identifier }) => identifier);
  expect(identifiers).toEqual(['read__', 'read_', 'find_', 'exit_', 'done_', 'search']);
  expect(bash.documentation(tools)).toContain(
    'find_\n    Does it.\n    (This is the tool "find".)',
  );
});

test('a stub says of each flag what JSON its text may stand for', () => {
  const [stub] = (bash.documented?.stubs ?? bash.stubs)([
    raw(
      {
        'start date': { type: 'string' },
        count: { type: ['integer', 'null'] },
        list: { type: 'array', items: { type: 'string' } },
        either: { anyOf: [{ type: 'number' }, { $ref: '#/$defs/name' }] },
        object: { type: 'object' },
        chosen: { enum: ['a', 1, null] },
        fixed: { const: true },
        whatever: {},
      },
      { $defs: { name: { type: 'string' } }, required: ['count', 'extra'] },
    ),
  ]);
  const parameters = readParameters(stub);
  expect(parameters.map(({ name, identifier, types }) => [name, identifier, types])).toEqual([
    ['count', 'count', ['integer', 'null']],
    ['extra', 'extra', []],
    ['start date', 'start_date', ['string']],
    ['list', 'list', ['array', 'string']],
    ['either', 'either', ['number', 'string']],
    ['object', 'object', ['object']],
    ['chosen', 'chosen', ['string', 'number', 'null']],
    ['fixed', 'fixed', ['boolean']],
    ['whatever', 'whatever', []],
  ]);
  expect(stub?.documentation).toContain('--start_date: (in JSON "start date")');
});

test('each parameter has a flag of its own, which is the name of no other one', () => {
  const names = ['StartTime<', 'StartTime>', 'user-id', 'user_id', 'x.y', 'x:y', 'x_y_2'];
  const one = raw(Object.fromEntries(names.map((name) => [name, { type: 'string' }])));
  const [stub] = bash.documented?.stubs([one]) ?? [];
  const flags = readParameters(stub).map(({ name, identifier }) => [name, identifier]);
  expect(flags).toEqual([
    ['StartTime<', 'StartTime_'],
    ['StartTime>', 'StartTime__2'],
    ['user-id', 'user_id_2'],
    ['user_id', 'user_id'],
    ['x.y', 'x_y'],
    ['x:y', 'x_y_3'],
    ['x_y_2', 'x_y_2'],
  ]);
  expect(stub?.documentation).toContain('--StartTime__2: (in JSON "StartTime>")');
});

test('schemas that lead back to themselves, or unfold to something huge, are told in short', () => {
  const wide = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`p${index}`, { $ref: '#/$defs/node' }]),
  );
  const $defs = {
    circle: { anyOf: [{ $ref: '#/$defs/circle' }, { type: 'array', items: { $ref: '#' } }] },
    node: { type: 'object', properties: wide },
  };
  const text = bash.documentation([
    raw({ circle: { $ref: '#/$defs/circle' }, node: { $ref: '#/$defs/node' } }, { $defs }),
  ]);
  expect(text.length).toBeLessThan(20_000);
});

test.for<[object, string]>([
  [
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    '{"a"?: string, "b"?: number}',
  ],
  [
    {
      type: 'object',
      properties: { id: { type: 'string' } },
      oneOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }],
    },
    '{"id"?: string} & ({"a"?: 1}|{"b"?: 2})',
  ],
  [{ type: 'object', oneOf: [{ properties: { a: {} } }, true] }, '{"a"?: any}|object'],
  [{ type: 'string', anyOf: [{ const: 'many' }, { minLength: 9 }] }, '"many"|string'],
  [
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    '[string, number]',
  ],
  [
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    '[string, ...number]',
  ],
])('the shape of %o is told whole', ([schema, shape]) => {
  expect(bash.documentation([raw({ a: schema })])).toContain(`[--a <${shape}>]`);
});

test('a union of references is told in short, however often it leads to itself', () => {
  const others = Array.from({ length: 40 }, (_, index) => ({ $ref: `#/$defs/part${index}` }));
  const parts = others.map((_, index) => [
    `part${index}`,
    { oneOf: [{ type: 'array', items: { $ref: '#/$defs/query' } }, ...others] },
  ]);
  const query = { anyOf: [{ type: 'string', minLength: 1 }, ...others] };
  const one = raw(
    { query: { $ref: '#/$defs/query' }, named: { type: 'boolean' } },
    { $defs: { query, ...Object.fromEntries(parts) } },
  );
  const [stub] = bash.documented?.stubs([one]) ?? [];
  expect(readParameters(stub).map(({ types }) => types)).toEqual([
    ['string', 'array'],
    ['boolean'],
  ]);
  expect(stub?.documentation?.length).toBeLessThan(20_000);
});

test.for<[string, string]>([
  ['```bash\necho 1\n```', 'echo 1'],
  ['```sh\necho 1\n```\n', 'echo 1'],
  ['```shell\necho 1\n```', 'echo 1'],
  ['```\necho 1\n```', 'echo 1'],
  ['\uFEFFecho 1', 'echo 1'],
  ["cat <<'END'\n```bash\nx\n```\nEND", "cat <<'END'\n```bash\nx\n```\nEND"],
  ['```python\nprint(1)\n```', '```python\nprint(1)\n```'],
])('%j runs as %j', ([code, program]) => {
  expect(bash.program(code)).toBe(program);
});

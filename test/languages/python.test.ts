import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { python } from '../../src/languages/python/python.ts';
import type { ToolStub } from '../../src/protocol/messages.ts';
import type { JsonObject } from '../../src/shared/json/json.ts';
import { toTool, type ToolDefinition } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { readParameters } from '../support/read-parameters.ts';
import { parse } from './parse-python.ts';
import { codePoint } from '../support/code-point.ts';

function tool(definition: Partial<ToolDefinition> = {}): Tool {
  return toTool({ name: 'tool', description: 'Does it.', run: () => 1, ...definition });
}

function raw(properties: object, more: object = {}): Tool {
  return tool({ inputSchema: { type: 'object', properties, ...more } });
}

function documentedStub(one: Tool): ToolStub | undefined {
  return python.documented?.stubs([one])[0];
}

function signature(one: Tool): string {
  return documentedStub(one)?.documentation?.split('\n')[0] ?? '';
}

const expenses = tool({
  name: 'get_expenses',
  description: 'Lists the expenses of an employee.\nNewest first.',
  inputSchema: z.object({
    limit: z.number().int().min(1).max(100).default(10),
    employee_id: z.string().describe('Such as E1.'),
    quarter: z.enum(['Q1', 'Q2']),
    tags: z.array(z.string()).optional(),
    period: z.object({ from: z.iso.date().nullable(), open: z.boolean().describe('No end.') }),
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

test('a tool is documented as the Python function that it is', () => {
  expect(python.documentation([expenses])).toBe(`\
async def get_expenses(employee_id: str, quarter: Literal["Q1", "Q2"], period: {"from": str | None, "open": bool}, limit: int = 10, tags: list[str] = ...) -> list[{"id": str, "amount": float, "note": NotRequired[str]}]:
    """Lists the expenses of an employee.
    Newest first.

    employee_id: Such as E1.
    period.from: format date
    period.open: No end.
    limit: >= 1; <= 100

    Returns: One entry an expense.
    result[].amount: In USD.

    Example: await get_expenses(employee_id="E1", quarter="Q1", period={"from": None, "open": True})
    """`);
});

test('the same tools give the same text, and each its own function', () => {
  const other = tool({ name: 'expense:list' });
  const text = python.documentation([expenses, other]);
  expect(python.documentation([expenses, other])).toBe(text);
  expect(parse(text).map((one) => one.name)).toEqual(['get_expenses', 'expense.list']);
});

test('a stub says whether a parameter may be a dict, however many ways lead to its type', () => {
  const chain = Array.from({ length: 40 }, (_, index) => {
    const next = { $ref: `#/$defs/${index + 1}` };
    return [`${index}`, { anyOf: [next, next] }];
  });
  const parameterOf = (last: object): unknown[] => {
    const $defs = { ...Object.fromEntries(chain), 40: last };
    const [stub] = python.stubs([raw({ value: { $ref: '#/$defs/0' } }, { $defs })]);
    return readParameters(stub).map(({ acceptsObject }) => acceptsObject);
  };
  expect(parameterOf({ type: 'string' })).toEqual([false]);
  expect(parameterOf({ type: 'object' })).toEqual([true]);
});

test('a stub has the parameters in the order of the signature, and the names of both sides', () => {
  const stub = documentedStub(
    tool({
      name: 'expense:list',
      inputSchema: {
        type: 'object',
        properties: { 'start-date': {}, from: { type: 'object' }, start_date: { type: 'string' } },
        required: ['from', 'id'],
      },
    }),
  );
  expect(stub).toMatchObject({
    path: 'expense.list',
    parameters: '!{from=from_ !{id ?{start-date=start_date_2 ?start_date',
  });
  expect(stub?.documentation).toContain('from_: (argument "from")');
});

const types: [unknown, string][] = [
  [{ type: 'string' }, 'str'],
  [{ type: ['string', 'null'] }, 'str | None'],
  [{ type: 'integer', nullable: true }, 'int | None'],
  [true, 'Any'],
  [false, 'Never'],
  [{}, 'Any'],
  [{ const: null }, 'None'],
  [{ const: true }, 'Literal[True]'],
  [{ enum: ['a', 1, false, null] }, 'Literal["a", 1, False] | None'],
  // What cannot be seen, or changes how other text is displayed, is shown by its number.
  [{ enum: ['a\u200Bb\u{E0041}\u009B'] }, String.raw`Literal["a\u200bb\U000e0041\u009b"]`],
  [{ anyOf: [{ const: 'a' }, { const: 'b' }, { type: 'null' }] }, 'Literal["a", "b"] | None'],
  [
    { anyOf: [{ type: ['null', 'string'] }, { type: 'integer' }, { type: 'null' }] },
    'str | int | None',
  ],
  [{ type: 'array', items: { type: 'number' } }, 'list[float]'],
  [{ type: 'array' }, 'list'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }, '[str, int]'],
  [{ type: 'object' }, 'dict'],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'dict[str, int]'],
  [{ properties: { a: { type: 'string' } } }, '{"a": NotRequired[str]}'],
  [{ $ref: '#/$defs/Money' }, '{"amount": float, "currency": NotRequired[str]}'],
  [{ $ref: '#/$defs/Tree' }, 'Tree'],
  [{ $ref: '#/$defs/a~1b%20c' }, 'bool'],
  [
    {
      allOf: [
        { $ref: '#/$defs/Money' },
        { properties: { due: { type: 'string' } }, required: ['due'] },
      ],
    },
    '{"amount": float, "currency": NotRequired[str], "due": str}',
  ],
];

function withParameter(schema: unknown): Tool {
  const $defs = {
    Money: {
      type: 'object',
      properties: { amount: { type: 'number' }, currency: { type: 'string' } },
      required: ['amount'],
    },
    Tree: {
      type: 'object',
      properties: {
        value: { type: 'integer' },
        children: { type: 'array', items: { $ref: '#/$defs/Tree' } },
      },
      required: ['value'],
    },
    'a/b c': { type: 'boolean' },
  };
  return raw({ x: schema }, { required: ['x'], $defs });
}

test.for(types)('%j is shown as %s', ([schema, type]) => {
  expect(signature(withParameter(schema))).toBe(`tool(x: ${type}) -> Any`);
});

test('every way to show a type is Python that parses', () => {
  const tools = types.map(([schema]) => withParameter(schema));
  expect(parse(python.documentation(tools))).toHaveLength(tools.length);
});

test('other arguments that a schema allows are shown as such', () => {
  expect(signature(raw({ a: {} }, { additionalProperties: { type: 'integer' } }))).toBe(
    'tool(a: Any = ..., **arguments: int) -> Any',
  );
});

test('definitions that unfold to millions of parts stay a short text', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => {
      const next = { $ref: `#/$defs/D${index + 1}` };
      const names = Array.from({ length: 20 }, (__, member) => [`m${member}`, next]);
      return [`D${index}`, { type: 'object', properties: Object.fromEntries(names) }];
    }),
  );
  const one = raw({ x: { $ref: '#/$defs/D0' } }, { $defs: { ...$defs, D30: {} } });
  const text = python.documentation([one]);
  expect(text.length).toBeLessThan(20_000);
  expect(parse(text)).toHaveLength(1);
});

test('descriptions come through as they are, whatever quotes and escapes they hold', () => {
  const descriptions = ['"""', 'ends with "', 'ends with \\', '\\N{x} \\u12 \\', '""""""""', "'''"];
  const text = python.documentation(
    descriptions.map((description, index) => tool({ name: `t${index}`, description })),
  );
  expect(parse(text).map((one) => one.docstring)).toEqual(descriptions);
});

test('the documentation of any tool with any schema is Python that parses', () => {
  const schemas = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(true, false, {}, { $ref: '#' }, { $ref: '#/properties/class' }),
      fc.record(
        {
          type: fc.constantFrom<unknown>('string', 'integer', 'number', 'null', ['string', 'null']),
          format: fc.constantFrom('date', 'uuid'),
          description: fc.string({ unit: codePoint }),
          minLength: fc.nat(),
          pattern: fc.constantFrom('^"""\\d+\n$', '\\@'),
          default: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      fc.record({ enum: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 4 }) }),
      fc.record({ const: fc.jsonValue() }),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.record({
        type: fc.constant('array'),
        prefixItems: fc.array(tie('schema'), { minLength: 1 }),
      }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.string({ unit: codePoint }), tie('schema')),
      }),
      fc.record({ additionalProperties: tie('schema') }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    ),
  })).schema;
  const property = fc.oneof(
    fc.constantFrom('class', 'from', '__proto__', 'constructor', 'a-b', 'a_b', '1', ''),
    fc.string({ unit: codePoint, maxLength: 8 }),
  );
  const definitions = fc.record({
    description: fc.string({ unit: codePoint, minLength: 1 }).filter((text) => text.trim() !== ''),
    properties: fc.dictionary(property, schemas, { maxKeys: 5 }),
    required: fc.uniqueArray(property, { maxLength: 2 }),
    additionalProperties: schemas,
    outputSchema: schemas.filter((schema) => typeof schema === 'object'),
  });
  const plain = tool();
  const copyOf = (schema: object): JsonObject => JSON.parse(JSON.stringify(schema)) as JsonObject;
  const tools: Tool[] = [];
  fc.assert(
    fc.property(definitions, ({ description, outputSchema, ...schema }) => {
      const name = `t${tools.length}`;
      const properties = { ...schema.properties, class: true };
      // References lead into the input schema only.
      const isOwn = !JSON.stringify(outputSchema).includes('"$ref"');
      // Not defined from the schemas, which would compile them.
      const one: Tool = {
        ...plain,
        name,
        identifier: name,
        description,
        inputSchema: copyOf({ type: 'object', ...schema, properties }),
        outputSchema: isOwn ? copyOf(outputSchema as object) : undefined,
      };
      tools.push(one);
      const [stub] = python.stubs([one]);
      const identifiers = readParameters(stub).map(({ identifier }) => identifier);
      expect(new Set(identifiers).size).toBe(identifiers.length);
      expect(python.documentation([one])).toBe(python.documentation([one]));
    }),
    { numRuns: 200 },
  );
  const parsed = parse(python.documentation(tools));
  expect(parsed).toHaveLength(tools.length);
  expect(new Map(parsed.map(({ name, parameters }) => [name, parameters]))).toEqual(
    new Map(
      python
        .stubs(tools)
        .map((stub) => [
          stub.path ?? stub.identifier,
          readParameters(stub).map(({ identifier }) => identifier),
        ]),
    ),
  );
});

test('the description of execute_code names what programs cannot guess, and stays short', () => {
  const text = python.executeCodeDescription;
  for (const fact of ['await', 'asyncio.gather', 'printed', 'ToolError', 'no network', 'input()']) {
    expect(text).toContain(fact);
  }
  expect(text.length).toBeLessThan(1200);
});

import { expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { toTool } from '../../../src/tools/define-tool.ts';
import type { SchemaSource } from '../../../src/tools/schema/schema.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

function problemsOf(inputSchema: SchemaSource, input: unknown): string[] {
  const tool = toTool({ name: 'tool', description: 'Does it.', inputSchema, run: () => 1 });
  const validation = tool.validateInput(input);
  return validation.valid ? [] : validation.message.split('\n');
}

const zod4 = z.strictObject({
  employee_id: z.string(),
  count: z.int().optional(),
  quarter: z.enum(['Q1', 'Q2']).optional(),
  who: z.union([z.string(), z.object({ id: z.number() })]).optional(),
  filter: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('day'), day: z.string() }),
      z.strictObject({ kind: z.literal('year'), year: z.number() }),
    ])
    .optional(),
  items: z.array(z.object({ price: z.number() })).optional(),
});
const zod3 = z3
  .object({
    employee_id: z3.string(),
    count: z3.number().int().optional(),
    quarter: z3.enum(['Q1', 'Q2']).optional(),
    who: z3.union([z3.string(), z3.object({ id: z3.number() })]).optional(),
    filter: z3
      .discriminatedUnion('kind', [
        z3.object({ kind: z3.literal('day'), day: z3.string() }).strict(),
        z3.object({ kind: z3.literal('year'), year: z3.number() }).strict(),
      ])
      .optional(),
    items: z3.array(z3.object({ price: z3.number() })).optional(),
  })
  .strict();
const sources: [string, SchemaSource][] = [
  ['zod 4', zod4],
  ['zod 3', zod3],
  ['JSON Schema', z.toJSONSchema(zod4, { io: 'input' })],
  ['draft-07', z.toJSONSchema(zod4, { io: 'input', target: 'draft-7' })],
];
const names = 'employee_id, count, quarter, who, filter, items';

for (const [kind, source] of sources) {
  test.for<[unknown, RegExp | string]>([
    [{ employee_id: 7 }, 'employee_id: expected string, received number'],
    [{ employee_id: null }, 'employee_id: expected string, received null'],
    [{}, 'employee_id: missing, expected string'],
    [{ employee_id: 'E', count: 1.5 }, 'count: expected integer, received 1.5'],
    [{ employee_id: 'E', quarter: 'Q9' }, 'quarter: expected one of "Q1", "Q2", received "Q9"'],
    [{ employee_id: 'E', who: true }, 'who: expected string or object, received boolean'],
    [{ employee_id: 'E', who: { id: 'x' } }, 'who.id: expected number, received string'],
    [
      { employee_id: 'E', filter: { kind: 'week' } },
      /^filter\.kind: expected .*"day".*"year", received "week"$/,
    ],
    [
      { employee_id: 'E', filter: { kind: 'day', day: 1 } },
      'filter.day: expected string, received number',
    ],
    [
      { employee_id: 'E', items: [{ price: 1 }, { price: '2' }] },
      'items[1].price: expected number, received string',
    ],
    [{ employee_id: 'E', foo: 1 }, `unknown argument "foo"; allowed: ${names}`],
    [['E'], 'arguments: expected object, received array'],
    [null, 'arguments: expected object, received null'],
  ])(`${kind}: %j is answered with what is wrong`, ([input, line]) => {
    const [problem, ...others] = problemsOf(source, input);
    expect(others).toEqual([]);
    expect(problem).toSatisfy((text: string) =>
      typeof line === 'string' ? text === line : line.test(text),
    );
  });

  test(`${kind}: good arguments pass`, () => {
    const input = { employee_id: 'E', filter: { kind: 'year', year: 1 }, who: { id: 1 } };
    expect(problemsOf(source, input)).toEqual([]);
  });
}

test('a message lists ten problems and counts the rest', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`p${index}`, { type: 'string' }]),
  );
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  const problems = problemsOf(schema, {});
  expect(problems).toHaveLength(11);
  expect(problems[0]).toBe('p0: missing, expected string');
  expect(problems.at(-1)).toBe('and 5 more');
});

test('limits and formats say what was received', () => {
  const schema = {
    type: 'object',
    properties: { day: { type: 'string', format: 'date' }, limit: { maximum: 5 } },
  };
  expect(problemsOf(schema, { day: 'monday', limit: 9 })).toEqual([
    'day: must be in the format "date", received "monday"',
    'limit: must be <= 5, received 9',
  ]);
});

function tagged(tag: string, type: string): object {
  return {
    type: 'object',
    properties: { tag: { const: tag }, value: { type } },
    required: ['tag', 'value'],
  };
}

test('a union behind references is judged by the form that its tag names', () => {
  const schema = {
    type: 'object',
    $defs: { A: tagged('a', 'integer'), B: tagged('b', 'string') },
    properties: { x: { oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] } },
  };
  expect(problemsOf(schema, { x: { tag: 'b', value: 1 } })).toEqual([
    'x.value: expected string, received number',
  ]);
  expect(problemsOf(schema, { x: { tag: 'c', value: 1 } })).toEqual([
    'x.tag: expected "a" or "b", received "c"',
  ]);
});

test.for([
  [0.01, [19.99, -0.07, 0, 5, 1e21, 123_456_789_012.34], [19.999, 1e-7]],
  [3, [9, 3e22], [10, 9.000_000_1]],
  [1e-7, [3e-7, 1.5], [1e-8]],
  [5e-324, [5e-324, 1.797e308], []],
] as const)('a multiple of %s is one as it is written', ([multipleOf, valid, invalid]) => {
  const schema = { type: 'object', properties: { price: { multipleOf } } };
  for (const price of valid) expect(problemsOf(schema, { price })).toEqual([]);
  for (const price of invalid) {
    expect(problemsOf(schema, { price })).toEqual([
      `price: must be multiple of ${multipleOf}, received ${price}`,
    ]);
  }
});

test('patterns that are no Unicode patterns work all the same', () => {
  const schema = {
    type: 'object',
    properties: { a: { pattern: '^\\w+\\@x$' }, b: { pattern: '^\\p{Lu}$' } },
  };
  expect(problemsOf(schema, { a: 'me@x', b: 'Ä' })).toEqual([]);
  expect(problemsOf(schema, { a: 'me', b: 'p{Lu}' })).toHaveLength(2);
});

test('properties named like what every object has are missing when they are missing', () => {
  const schema = { type: 'object', required: ['constructor', 'toString'] };
  expect(problemsOf(schema, {})).toHaveLength(2);
});

test('a property with an empty name is missing when it is missing', () => {
  const schema = { type: 'object', required: ['id', ''], dependentRequired: { id: [''] } };
  expect(problemsOf(schema, { id: 1, '': 1 })).toEqual([]);
  expect(problemsOf(schema, { id: 1 })).not.toEqual([]);
  expect(problemsOf({ ...schema, required: ['id'] }, { id: 1 })).toHaveLength(1);
});

test('problems inside properties whose names JSON pointers escape are told where they are', () => {
  const texts = { type: 'array', items: { type: 'string' } } as const;
  const schema = { type: 'object', additionalProperties: texts } as const;
  const long = '~0/~1'.repeat(20);
  expect(problemsOf(schema, { 'a/~1': [1, 'b', 2], [long]: ['c', 3] })).toEqual([
    '["a/~1"][0]: expected string, received number',
    '["a/~1"][2]: expected string, received number',
    expect.stringMatching(/^\["~0\/~1~0\/~1.*\[1\]: expected string, received number$/),
  ]);
});

test('a schema is freed with its tool, however many schemas have been compiled', async () => {
  const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
  const refs = Array.from({ length: 10 }, () => {
    const tool = toTool({
      name: 'tool',
      description: 'Does it.',
      inputSchema: schema,
      run: () => 1,
    });
    expect(tool.validateInput({}).valid).toBe(false);
    return new WeakRef(tool.inputSchema);
  });
  const kept = (): unknown => {
    collectGarbage();
    return refs.filter((ref) => ref.deref() !== undefined);
  };
  // What a WeakRef has given stays until the turn of the event loop ends, and what V8's compiler reads, in a thread of
  // its own, until it has compiled the function.
  await expect.poll(kept).toEqual([]);
});

test('an argument called __proto__ is an unknown argument like any other [case 104]', () => {
  const schema = { type: 'object', properties: { a: {} }, additionalProperties: false };
  expect(problemsOf(schema, JSON.parse('{"__proto__": {"a": 1}}'))).toEqual([
    'unknown argument "__proto__"; allowed: a',
  ]);
});

test('the words of the author of a schema are kept', () => {
  expect(problemsOf(z.object({ id: z.string('Pass the id from HR.') }), { id: 1 })).toEqual([
    'id: Pass the id from HR. (expected string), received 1',
  ]);
  const refined = z.object({ id: z.string().refine((id) => id.startsWith('E'), 'starts with E') });
  expect(problemsOf(refined, { id: 'x' })).toEqual(['id: starts with E, received "x"']);
});

test('a schema that fails by itself is an invalid call and no crash', () => {
  const throwing = z.object({
    id: z.string().transform(() => {
      throw new Error('no database');
    }),
  });
  expect(problemsOf(throwing, { id: 'x' })).toEqual([
    "the tool's input schema failed: no database",
  ]);
  const asynchronous = z.object({ id: z.string().refine(() => Promise.resolve(true)) });
  expect(problemsOf(asynchronous, { id: 'x' })[0]).toContain('input schema failed');
});

test.each([
  'https://json-schema.org/draft-07/schema#',
  'http://json-schema.org/draft-07/schema',
  'https://json-schema.org/draft/2019-09/schema',
  'http://json-schema.org/draft-06/schema#',
  'https://example.com/dialect',
])('a schema whose $schema is %s is read as the nearest draft', ($schema) => {
  const schema = { $schema, type: 'object', properties: { a: { type: 'string' } } };
  expect(problemsOf(schema, { a: 'x' })).toEqual([]);
  expect(problemsOf(schema, { a: 1 })).toEqual(['a: expected string, received number']);
});

test('an unknown argument is not said to be the only one if other parts of a schema allow more', () => {
  const patterns = { properties: { a: {} }, patternProperties: { '^x-': {} } };
  const closed = { type: 'object', ...patterns, additionalProperties: false };
  expect(problemsOf(closed, { b: 1 })).toEqual(['unknown argument "b"']);
  const inParts = {
    type: 'object',
    allOf: [{ properties: { a: {} } }],
    properties: { b: {} },
    unevaluatedProperties: false,
  };
  expect(problemsOf(inParts, { a: 1, b: 1, c: 1 })).toEqual(['unknown argument "c"']);
});

test('a message is short, whatever the schema names', () => {
  const longNames = Array.from({ length: 50 }, (_, index) => `${'n'.repeat(1000)}${index}`);
  const properties = Object.fromEntries(longNames.map((name) => [name, {}]));
  const closed = { type: 'object', properties, additionalProperties: false };
  const [problem = ''] = problemsOf(closed, { other: 1 });
  expect(problem).toMatch(/^unknown argument "other"; allowed: n+…, .*, 10 more$/);
  expect(problem.length).toBeLessThan(3000);
  const tool = toTool(
    {
      name: 'tool',
      description: 'Does it.',
      inputSchema: { type: 'object', properties: { a: { $ref: `#/${'a'.repeat(10_000)}` } } },
      run: () => 1,
    },
    'first call',
  );
  const validation = tool.validateInput({});
  expect(validation).toMatchObject({ valid: false, message: expect.stringContaining('aaa…') });
  expect(JSON.stringify(validation).length).toBeLessThan(2000);
});

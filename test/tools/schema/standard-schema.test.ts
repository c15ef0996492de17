import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { scope, type } from 'arktype';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { PtcError } from '../../../src/shared/errors.ts';
import { toTool } from '../../../src/tools/define-tool.ts';
import type { SchemaSource } from '../../../src/tools/schema/schema.ts';
import type { StandardSchema } from '../../../src/tools/schema/standard-schema.ts';
import type { Tool, Validation } from '../../../src/tools/tool.ts';

/** See `bounds.test.ts`: what is not bounded takes ten seconds and more. */
const LIMIT_MS = 3000;

function toolWith(inputSchema: unknown): Tool {
  return toTool({
    name: 'tool',
    description: 'Does it.',
    inputSchema: inputSchema as SchemaSource,
    run: () => 1,
  });
}

/** What a schema says to arguments: the lines of its message, none if they are valid. */
function answerTo(inputSchema: unknown, input: unknown): string[] {
  const { validateInput } = toolWith(inputSchema);
  // The first call compiles the code, for which a busy machine may need longer than the deadline.
  validateInput(input);
  const before = process.cpuUsage();
  const validation = validateInput(input);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(LIMIT_MS);
  return validation.valid ? [] : validation.message.split('\n');
}

function refusalOf(inputSchema: unknown): string {
  try {
    toolWith(inputSchema);
  } catch (error) {
    expect(PtcError.isInstance(error) && error.code).toBe('TOOL_INVALID');
    return (error as Error).message;
  }
  throw new Error('the schema was taken');
}

interface Library {
  order: StandardSchema;
  list: StandardSchema;
  pattern: StandardSchema;
  url: StandardSchema;
}

const libraries: [string, Library][] = [
  [
    'ArkType',
    {
      order: type({
        id: 'string',
        'amount?': 'string.numeric.parse',
        state: "'open'|'paid'='open'",
      }),
      list: type({ list: 'string[]' }),
      pattern: type({ s: '/^(a+)+$/' }),
      url: type({ s: 'string.url' }),
    },
  ],
  [
    'Valibot',
    {
      order: toStandardJsonSchema(
        v.object({
          id: v.string(),
          amount: v.optional(v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))),
          state: v.optional(v.picklist(['open', 'paid']), 'open'),
        }),
      ),
      list: toStandardJsonSchema(v.object({ list: v.array(v.string()) })),
      pattern: toStandardJsonSchema(v.object({ s: v.pipe(v.string(), v.regex(/^(a+)+$/)) })),
      url: toStandardJsonSchema(v.object({ s: v.pipe(v.string(), v.url()) })),
    },
  ],
];

/** A schema of a library that only this test has. */
function custom(validate: (value: unknown) => unknown): StandardSchema {
  const input = (): Record<string, unknown> => ({ type: 'object' });
  return {
    '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input, output: input } },
  };
}

/** One whose validator accepts the value that it is tried with when the tool is defined. */
function customFromSecondTime(validate: () => unknown): StandardSchema {
  let isTried = false;
  return custom((value) => {
    if (isTried) return validate();
    isTried = true;
    return { value };
  });
}

test.for(libraries)('%s: the model reads its JSON Schema of the input', ([, { order }]) => {
  expect(toolWith(order).inputSchema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      id: { type: 'string' },
      amount: { type: 'string' },
      state: { enum: ['open', 'paid'] },
    },
    required: ['id'],
  });
});

test.for(libraries)('%s: a tool gets what the schema makes of arguments', ([, { order }]) => {
  const input: object = Object.assign(Object.create(null) as object, { id: 'a', amount: '3' });
  expect(toolWith(order).validateInput(input)).toEqual<Validation>({
    valid: true,
    value: { id: 'a', amount: 3, state: 'open' },
  });
  expect(input).toEqual({ id: 'a', amount: '3' });
});

test('each problem has a line with its place and the words of the library', () => {
  const wrong = { id: 1, state: 'lost' };
  const [[, ark], [, valibot]] = libraries as [(typeof libraries)[0], (typeof libraries)[0]];
  expect(answerTo(ark.order, wrong)).toEqual([
    'id must be a string (was a number)',
    'state must be "open" or "paid" (was "lost")',
  ]);
  expect(answerTo(valibot.order, wrong)).toEqual([
    'id: Invalid type: Expected string but received 1',
    'state: Invalid type: Expected ("open" | "paid") but received "lost"',
  ]);
  expect(answerTo(ark.list, 1)[0]).toBe('arguments: must be an object (was a number)');
});

test.for(libraries)(
  '%s: ten problems are told at most, each of them short',
  ([, { order, list }]) => {
    const many = answerTo(list, { list: Array(30).fill(1) });
    expect(many).toHaveLength(11);
    expect(many[0]).toMatch(/^list\[0\]/);
    expect(many[10]).toBe('and 20 more');
    const [long, ...others] = answerTo(order, { id: 'a', state: 'x'.repeat(900_000) });
    expect(others).toEqual([]);
    expect(long?.length).toBeLessThan(400);
  },
);

test('a path and a text of any length are cut', () => {
  const key = 'k'.repeat(500_000);
  const issues: unknown[] = [
    { message: 'm'.repeat(500_000), path: [key, { key }, Symbol('s'), 0] },
  ];
  const [line] = answerTo(
    custom(() => ({ issues })),
    {},
  );
  expect(line?.length).toBeLessThan(600);
});

test.for(libraries)('%s: a pattern cannot hold the host', ([, { pattern }]) => {
  expect(answerTo(pattern, { s: `${'a'.repeat(50_000)}!` })).toEqual([
    expect.stringMatching(/^arguments: checking it took longer than the limit of \d+ ms/),
  ]);
  expect(answerTo(pattern, { s: 'aaa' })).toEqual([]);
});

test.for(libraries)('%s: a URL with a long host is refused before it is parsed', ([, { url }]) => {
  const host = Array.from({ length: 200_000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7) % 20_000)),
  ).join('');
  expect(answerTo(url, { s: `http://${host}` })).toEqual([
    expect.stringMatching(/^s: has a host name of more than 500 characters/),
  ]);
  expect(answerTo(url, { s: 'http://a.example/b' })).toEqual([]);
});

test('prose of any script passes, also with an @ in it', () => {
  const schema = libraries[0]?.[1].order;
  expect(answerTo(schema, { id: `${'你好'.repeat(1000)}@` })).toEqual([]);
});

const faults: readonly [string, () => unknown, string][] = [
  ['throws an error', () => fail(new Error('no database')), 'failed: no database'],
  ['throws no error', () => fail(null), 'failed: null was thrown'],
  ['returns nothing', () => undefined, 'validate returned neither { value } nor { issues }'],
  ['gives issues that are none', () => ({ issues: [null] }), "the tool's input schema failed: "],
  ['never returns', loop, 'arguments: checking it took longer than the limit of'],
];

function fail(thrown: unknown): never {
  throw thrown;
}

function loop(): never {
  for (;;);
}

test.for(faults)('a validator that %s fails the call alone', ([, validate, reason]) => {
  const schema = customFromSecondTime(validate);
  const [line, ...others] = answerTo(schema, { a: 1 });
  expect(others).toEqual([]);
  expect(line).toContain(reason);
});

test('an asynchronous validator is refused, with what to do', () => {
  const message = refusalOf(custom(async (value) => Promise.resolve({ value })));
  expect(message).toMatch(
    /^Tool "tool": .*validate is asynchronous.*put checks that await something into/,
  );
  refusalOf(custom(async () => Promise.reject(new Error('nobody waits for this'))));
});

test('a validator that turns asynchronous fails the call, and its rejection is handled', async () => {
  const schema = customFromSecondTime(async () => Promise.reject(new Error('late')));
  expect(answerTo(schema, {})).toEqual([
    expect.stringMatching(/^the tool's input schema failed: validate is asynchronous/),
  ]);
  // Vitest fails for a rejection that nobody handles.
  await new Promise(setImmediate);
});

test('a schema without a JSON Schema or a validator is refused, with what to do', () => {
  expect(refusalOf(v.object({ id: v.string() }))).toMatch(
    /valibot has no "~standard".jsonSchema. Pass toStandardJsonSchema\(schema\) of @valibot/,
  );
  const { jsonSchema, ...validating } = custom((value) => ({ value }))['~standard'];
  expect(refusalOf({ '~standard': validating })).toMatch(/own has no "~standard".jsonSchema. Use/);
  const describing = { '~standard': { version: 1, vendor: 'own', jsonSchema } };
  expect(refusalOf(describing)).toMatch(/own has no "~standard".validate/);
  expect(refusalOf({ '~standard': null })).toMatch(/this library has no/);
  expect(refusalOf(() => 1)).toMatch(/neither a schema of zod, ArkType, Valibot/);
});

test('what JSON cannot carry, and what has no names, is refused', () => {
  expect(refusalOf(toStandardJsonSchema(v.object({ day: v.date() })))).toMatch(
    /cannot be converted to a JSON Schema: /,
  );
  expect(refusalOf(type('string'))).toMatch(/not an object schema.*Use an object schema/);
});

test('a library that has no JSON Schema of 2020-12 is asked for draft-07', () => {
  const schema = custom((value) => ({ value }));
  const input = ({ target }: { readonly target: string }): Record<string, unknown> => {
    if (target !== 'draft-07') throw new Error(`no ${target}`);
    return { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
  };
  const old = { '~standard': { ...schema['~standard'], jsonSchema: { input, output: input } } };
  expect(toolWith(old).inputSchema['$schema']).toContain('draft-07');
});

test('a result may be described by such a schema', () => {
  const [[, { order }]] = libraries as [(typeof libraries)[0]];
  const tool = toTool({ name: 'a', description: 'Does it.', outputSchema: order, run: () => 1 });
  expect(tool.outputSchema).toMatchObject({ required: ['id'] });
});

test('a recursive schema of ArkType, which it writes as a reference, is taken', () => {
  const { folder } = scope({ folder: { name: 'string', 'folders?': 'folder[]' } }).export();
  const { inputSchema, validateInput } = toolWith(folder);
  expect(inputSchema).toMatchObject({ type: 'object', required: ['name'] });
  expect(inputSchema).not.toHaveProperty('$ref');
  expect(validateInput({ name: 'a', folders: [{ name: 'b' }] })).toMatchObject({ valid: true });
  expect(validateInput({ name: 'a', folders: [{ name: 5 }] })).toMatchObject({
    valid: false,
    message: expect.stringContaining('folders'),
  });
});

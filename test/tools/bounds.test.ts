import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { toTool } from '../../src/tools/define-tool.ts';
import type { SchemaSource } from '../../src/tools/schema/schema.ts';

/**
 * Processor time in which hostile arguments must be answered here. It is many times the real bound, for a
 * busy machine and cold code; what is not bounded takes from ten seconds to years for the arguments below.
 */
const LIMIT_MS = 3000;

/** What a tool says to arguments: the lines of its message, none if they are valid. */
function answerTo(inputSchema: SchemaSource, input: unknown): string[] {
  const tool = toTool({ name: 'tool', description: 'Does it.', inputSchema, run: () => 1 });
  const validation = inTime(() => tool.validateInput(input));
  return validation.valid ? [] : validation.message.split('\n');
}

function inTime<Result>(work: () => Result): Result {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(LIMIT_MS);
  return result;
}

const text = { type: 'string' };
const FIRST_ONLY =
  'Values of this size are checked only up to the first problem: there may be more.';
const tooSlow = expect.stringMatching(
  /^arguments: checking it took longer than the limit of \d+ ms/,
);

test('a schema with a long name is compiled in time in proportion to the name', () => {
  const name = 'k'.repeat(20_000);
  const inputSchema = { type: 'object', properties: { [name]: text } };
  const definition = { name: 'tool', description: 'Does it.', inputSchema, run: () => 1 };
  const tool = toTool(definition, 'first call');
  expect(inTime(() => tool.validateInput({ [name]: 1 }))).toMatchObject({ valid: false });
});

test.for<[string, SchemaSource]>([
  ['JSON Schema', { type: 'object', additionalProperties: { type: 'array', items: text } }],
  ['zod 4', z.looseObject({}).catchall(z.array(z.string()))],
  ['zod 3', z3.object({}).catchall(z3.array(z3.string()))],
])('%s: a long key with many wrong values makes a short message', ([, schema]) => {
  // zod compiles a schema at its first check, and V8 the code that collects problems. On a slow machine, that and the
  // first checks can take longer than the deadline of a check.
  const wrong = Array<number>(100).fill(1);
  for (let checks = 0; checks < 20; checks += 1) answerTo(schema, { a: wrong });
  const [first, ...others] = answerTo(schema, { ['k'.repeat(50_000)]: wrong });
  expect(first).toMatch(/^\["k{60}…"\]\[0\]: expected string, received number$/);
  expect(others.join('\n').length).toBeLessThan(2000);
});

test('a long path, value or unknown key is cut', () => {
  let value: unknown = 1;
  let schema: object = text;
  for (let depth = 0; depth < 60; depth++) {
    value = { nested_name: value };
    schema = { type: 'object', properties: { nested_name: schema }, required: ['nested_name'] };
  }
  const [path] = answerTo(schema, value);
  expect(path).toMatch(/^nested_name\.nested.*….*nested_name: expected string, received number$/);
  expect(path?.length).toBeLessThan(200);
  const literal = {
    type: 'object',
    properties: { a: { const: 'x' } },
    additionalProperties: false,
  };
  const long = '"'.repeat(1_000_000);
  expect(answerTo(literal, { a: long, [long]: 1 }).join('\n').length).toBeLessThan(500);
});

test.for<[string, object]>([
  ['anyOf', { anyOf: [text, { type: 'null' }] }],
  ['oneOf', { oneOf: [text, { type: 'null' }] }],
])('a long list of wrong values for %s is checked up to the first', ([, items]) => {
  const schema = { type: 'object', properties: { list: { type: 'array', items } } };
  expect(answerTo(schema, { list: Array(15_000).fill(1) })).toEqual([
    'list[0]: expected string or null, received number',
    FIRST_ONLY,
  ]);
  expect(answerTo(schema, { list: Array(12).fill(1) })).toHaveLength(11);
});

test('a long list of wrong values for a union of zod is not described one by one [host/event-loop, host/validation]', () => {
  const schemas = [
    z.object({ list: z.array(z.union([z.string(), z.null()])) }),
    z3.object({ list: z3.array(z3.union([z3.string(), z3.null()])) }),
  ];
  for (const schema of schemas) {
    expect(answerTo(schema, { list: Array(15_000).fill(1) })).toHaveLength(1);
  }
});

test('elements are found to be the same in whatever order their keys are, in long lists too [host/validation]', () => {
  const schema = { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } };
  const list: unknown[] = Array.from({ length: 5000 }, (_, id) => ({ id, tags: ['a', id] }));
  list[3] = { tags: ['x'], id: 1 };
  list[5] = { id: 1, tags: ['x'] };
  expect(answerTo(schema, { list })).toEqual([
    'list: has the same element at 3 and 5, but elements must be unique',
    FIRST_ONLY,
  ]);
  for (const different of [
    [[[1], 2], [[1, 2]]],
    [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
    [[[], []], [[[]]]],
  ]) {
    expect(answerTo(schema, { list: different })).toEqual([]);
  }
  expect(
    answerTo(schema, { list: [1, '1', [1], ['1'], { a: 1 }, '{"a":1', null, 'null'] }),
  ).toEqual([]);
  const none = { type: 'object', properties: { list: { uniqueItems: false } } };
  expect(answerTo(none, { list: [1, 1] })).toEqual([]);
});

test('the format url refuses the addresses of private networks and this machine', () => {
  const schema = { type: 'object', properties: { url: { type: 'string', format: 'url' } } };
  const path = `/${'x'.repeat(1000)}`;
  for (const host of ['127.0.0.1', '169.254.169.254', '10.0.0.1', 'localhost', '-a.b']) {
    expect(answerTo(schema, { url: `http://${host}/` })).toHaveLength(1);
    expect(answerTo(schema, { url: `http://${host}${path}` })).toHaveLength(1);
  }
  expect(answerTo(schema, { url: `http://a.example${path}` })).toEqual([]);
});

test('the emoji of zod 3, whose pattern is exponential, are checked in bounded time', () => {
  const schema = z3.object({ s: z3.string().emoji() });
  expect(answerTo(schema, { s: `${'\u{1f9b0}'.repeat(60)}x` })).toEqual([tooSlow]);
  expect(answerTo(schema, { s: '\u{1f9b0}' })).toEqual([]);
});

test('the format url takes URLs and no time', () => {
  const schema = { type: 'object', properties: { url: { type: 'string', format: 'url' } } };
  for (const url of ['http://a.example', 'https://me:secret@a.example:80/b?c#d']) {
    expect(answerTo(schema, { url })).toEqual([]);
  }
  for (const url of [
    'http://',
    'mailto:a@b.example',
    'http://a b',
    `http://${':'.repeat(200_000)}`,
  ]) {
    expect(answerTo(schema, { url })[0]).toContain('must be in the format "url"');
  }
});

function recursiveZod(lib: typeof z | typeof z3): SchemaSource {
  const library = lib as typeof z;
  const node: z.ZodType = library.lazy(() =>
    library.union(
      ['a', 'b', 'c'].map((key) =>
        library.object({ next: node.optional(), [key]: library.string() }),
      ) as never,
    ),
  );
  return library.object({ node });
}
const recursiveJson = {
  type: 'object',
  properties: { node: { $ref: '#/$defs/node' } },
  $defs: {
    node: {
      anyOf: ['a', 'b', 'c'].map((key) => ({
        properties: { next: { $ref: '#/$defs/node' }, [key]: text },
        required: [key],
      })),
    },
  },
};

test.for<[string, SchemaSource]>([
  ['zod 4', recursiveZod(z)],
  ['zod 3', recursiveZod(z3)],
  ['JSON Schema', recursiveJson],
])(
  '%s: alternatives that contain themselves cannot be nested until the host stops',
  ([, schema]) => {
    let node: object = { d: 'x' };
    for (let depth = 0; depth < 18; depth++) node = { next: node };
    expect(answerTo(schema, { node }).length).toBeGreaterThan(0);
    expect(answerTo(schema, { node: { a: 'x', next: { b: 'x' } } })).toEqual([]);
  },
);

test('numbers that JSON does not have pass no schema', () => {
  const schemas: SchemaSource[] = [
    { type: 'object' },
    { type: 'object', properties: { list: { items: { type: 'number' } } } },
    z.object({ list: z.array(z.any()) }),
    z3.object({ list: z3.array(z3.number()) }),
  ];
  for (const schema of schemas) {
    expect(answerTo(schema, { list: [1, Infinity] })).toEqual([
      'list[1]: Infinity is not a JSON number',
    ]);
  }
});

test('arguments that no validator can walk are invalid, and nothing is thrown', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  for (const schema of [{ type: 'object' }, z.object({ deep: z.any() }), recursiveJson]) {
    const [line] = answerTo(schema, { deep });
    expect(line).toMatch(/^arguments: it cannot be checked \(Maximum call stack/);
  }
});

test('conversions of zod cannot be made to last [host/validation]', () => {
  const digits = { n: '7'.repeat(1_000_000) };
  expect(answerTo(z.object({ n: z.coerce.bigint() }), digits)).toEqual([tooSlow]);
  expect(answerTo(z3.object({ n: z3.coerce.bigint() }), digits)).toEqual([tooSlow]);
  const marks = 'a' + '\u0301\u0316'.repeat(60_000);
  expect(answerTo(z.object({ s: z.string().normalize() }), { s: marks })[0]).toMatch(
    /^s: has more than 100 combining marks in a row/,
  );
  expect(answerTo(z.object({ s: z.string().normalize() }), { s: 'Zoe\u0308' })).toEqual([]);
});

test('a URL with a long host is refused before zod parses it', () => {
  const host = Array.from({ length: 200_000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7) % 20_000)),
  ).join('');
  const schemas = [z.object({ s: z.url() }), z3.object({ s: z3.string().url() })];
  for (const schema of schemas) {
    for (const start of ['http://', ' \th\nttps:\\\\', 'ftp:', 'ws://me@']) {
      const [line] = answerTo(schema, { s: start + host });
      expect(line).toMatch(/^s: has a host name of more than 500 characters/);
    }
    const long = `https://example.com/${'ä'.repeat(5000)}`;
    expect(answerTo(schema, { s: long })).toEqual([]);
    expect(answerTo(schema, { s: `data:text/plain,${'ä'.repeat(5000)}` })).toEqual([]);
  }
});

test('messages of unknown keys are cut before they are joined', () => {
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`key${index}`, 1]));
  const lines = answerTo(z.strictObject({ a: z.string().optional() }), many);
  expect(lines).toHaveLength(11);
  expect(lines[0]).toBe('unknown argument "key0"; allowed: a');
});

test('nothing is compiled for a call that does not match a large schema', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`key${index}`, { type: 'string', minLength: 1 }]),
  );
  const inputSchema = { type: 'object', properties };
  const tool = toTool({ name: 'tool', description: 'Does it.', inputSchema, run: () => 1 });
  // Ajv compiles with it, which takes 100 ms for so many properties.
  const compiler = vi.spyOn(globalThis, 'Function');
  const validation = tool.validateInput({ key0: '', key1: 1 });
  const compiled = compiler.mock.calls.length;
  compiler.mockRestore();
  expect(compiled).toBe(0);
  expect(validation).toEqual({
    valid: false,
    message:
      'key0: must NOT have fewer than 1 characters, received ""\nkey1: expected string, received number',
  });
});

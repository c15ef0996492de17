import { expect, it } from 'vitest';
import { openApiTools } from '../../src/openapi/openapi-tools.ts';
import { callerOf, documentOf, serve, serveEcho, toolsOf, type Received } from './support.ts';

const json = (schema: unknown): object => ({ content: { 'application/json': { schema } } });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** An operation that takes and returns values of a schema. */
function both(schema: unknown, schemas: object = {}): object {
  const post = {
    operationId: 'both',
    requestBody: { required: true, ...json(schema) },
    responses: { 200: json(schema) },
  };
  return documentOf({ '/a': { post } }, { components: { schemas } });
}

/** What a tool is given to the model. */
function shownOf(document: object): string {
  const [tool] = toolsOf(document);
  expect(tool).toBeDefined();
  return JSON.stringify([tool?.inputSchema, tool?.outputSchema]);
}

function chain(length: number, next: (name: string) => object): object {
  const names = Array.from({ length }, (_value, at) => `S${at}`);
  const entries = names.map((name, at) => [name, next(names[at + 1] ?? 'S0')]);
  return Object.fromEntries(entries);
}

it('makes small tools of schemas that would be endless or huge if they were put together', () => {
  const twice = (name: string): object => ({
    type: 'object',
    properties: { a: ref(name), b: ref(name) },
  });
  const merged = (name: string): object => ({
    allOf: [{ properties: { a: ref(name), b: ref(name) } }, ref(name)],
  });
  const alias = (name: string): object => ref(name);
  for (const next of [twice, merged, alias]) {
    expect(shownOf(both(ref('S0'), chain(5000, next))).length).toBeLessThan(250_000);
  }
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_value, at) => [`p${at}`, ref('S0')]),
  );
  expect(
    shownOf(both({ type: 'object', properties: many, minProperties: 1 }, chain(9, twice))).length,
  ).toBeLessThan(1000);
  const wide = Object.fromEntries(
    Array.from({ length: 50_000 }, (_value, at) => [`p${at}`, { type: 'string' }]),
  );
  expect(shownOf(both({ type: 'object', properties: wide })).length).toBeLessThan(1000);
  expect(shownOf(both({ enum: [1, 'x'.repeat(10 * 2 ** 20)] })).length).toBeLessThan(1000);
  expect(
    shownOf(both({ type: 'string', description: 'x'.repeat(10 * 2 ** 20) })).length,
  ).toBeLessThan(5000);
});

it('bears documents that are nested deeply, or contain themselves as objects', () => {
  let deep: object = {};
  for (let depth = 0; depth < 100_000; depth++) deep = { items: deep };
  expect(shownOf(both(deep)).length).toBeLessThan(2000);
  const self: { items?: object; default?: unknown } = {};
  self.items = self;
  self.default = self;
  expect(shownOf(both(self)).length).toBeLessThan(2000);
});

it('leaves out values of keywords that are long, perhaps by aliases of YAML', () => {
  const long = 'x'.repeat(50_001);
  const text = { type: 'string', maxLength: 7, default: long, enum: ['a', long], const: [long] };
  const of = (schema: object): unknown =>
    toolsOf(both({ type: 'object', properties: { text: schema } }))[0]?.inputSchema['properties'];
  expect(of(text)).toEqual({ text: { type: 'string', maxLength: 7 } });
  let aliases: unknown = ['x'];
  for (let level = 0; level < 40; level++) aliases = [aliases, { aliases }];
  const bomb = { type: 'string', default: aliases, enum: [aliases], const: aliases };
  expect(of(bomb)).toEqual({ text: { type: 'string' } });
});

it('calls tools whose schemas refer to themselves at once', async () => {
  const { baseUrl } = await serveEcho();
  const loop = { A: { allOf: [ref('A')] }, B: ref('C'), C: ref('B') };
  for (const name of ['A', 'B']) {
    const call = callerOf({ baseUrl, document: both(ref(name), loop) });
    const outcome = (await call('both', { body: { a: 1 } })) as { body?: string; type?: string };
    expect(outcome.body ?? outcome.type).toMatch(/^(\{"a":1\}|InvalidArguments|Failed)$/);
  }
});

it('reads names with a meaning in JavaScript as names', async () => {
  const { baseUrl } = await serveEcho();
  const text =
    '{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"type":"string"}}}';
  const schemas = JSON.parse(`{"__proto__":${text}}`) as object;
  const inner = { type: 'object', allOf: [ref('__proto__')] };
  const call = callerOf({ baseUrl, document: both(inner, schemas) });
  const body = JSON.parse('{"__proto__":1,"constructor":"x"}') as object;
  expect(await call('both', { body })).toMatchObject({ body: '{"__proto__":1,"constructor":"x"}' });
  const paths = '{"/a":{"get":{"operationId":"__proto__"}},"__proto__":{"get":{}},"/b":{"get":{}}}';
  expect(toolsOf(documentOf(JSON.parse(paths) as object)).map(({ name }) => name)).toEqual([
    'get_b',
  ]);
  const parameters = [{ name: '__proto__', in: 'query', schema: {} }];
  expect(toolsOf(documentOf({ '/a': { get: { parameters } } }))).toEqual([]);
  expect(({} as { type?: unknown }).type).toBeUndefined();
  for (const reference of ['constructor', 'toString/name', '__proto__']) {
    expect(shownOf(both(ref(reference)))).toBe(shownOf(both({})));
  }
});

it('does not run a pattern of a document with an engine that takes exponential time', async () => {
  const text = `${'a'.repeat(50_000)}!`;
  const baseUrl = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(text));
  });
  const pattern = { type: 'string', pattern: '^(a+)+$' };
  const parameters = [{ name: 'q', in: 'query', schema: pattern }];
  const document = documentOf({
    '/a': { get: { operationId: 'get', parameters, responses: { 200: json(pattern) } } },
  });
  expect(await callerOf({ baseUrl, document })('get', { q: text })).toMatchObject({
    type: 'InvalidArguments',
  });
  expect(toolsOf(document)[0]?.validateResult?.(text).valid).toBe(false);
});

it('leaves out keywords with values that no validator could read', async () => {
  const { baseUrl } = await serveEcho();
  const broken = {
    type: ['string', 'file', 7],
    pattern: '(?i)[',
    enum: [],
    minLength: -1,
    maximum: 'many',
    required: true,
    properties: [],
    items: 3,
    allOf: {},
    oneOf: [],
    $id: 'https://example.com',
    $schema: 'http://json-schema.org/draft-04/schema#',
    $dynamicRef: '#x',
    format: 7,
    default: 10n,
  };
  const call = callerOf({ baseUrl, document: both(broken) });
  expect(await call('both', { body: 'text' })).toMatchObject({ body: '"text"' });
  expect(await call('both', { body: 7 })).toMatchObject({ type: 'InvalidArguments' });
});

it('shows no control characters of a document to the model', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', description: 'A\u001b[2J name.' } },
  };
  expect(shownOf(both(schema))).toContain(String.raw`A\\x1b[2J name.`);
});

it('refuses 100,000 operations, and takes those that are chosen', () => {
  const paths = Object.fromEntries(
    Array.from({ length: 100_000 }, (_value, at) => [
      `/p${at}`,
      { get: { operationId: `op${at}` } },
    ]),
  );
  const document = documentOf(paths);
  expect(() => toolsOf(document)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/^The document has more than 5000 operations/),
    }),
  );
  expect(toolsOf(document, { operations: ['op99999'] }).map(({ name }) => name)).toEqual([
    'op99999',
  ]);
});

it('asks only the origin that was given, whatever the document says [host/openapi-origin]', async () => {
  const elsewhere: unknown[] = [];
  const other = await serve((request, response) => {
    elsewhere.push(request.url);
    response.end();
  });
  const { baseUrl, received } = await serveEcho();
  const get = (operationId: string, more: object = {}): object => ({
    get: { operationId, ...more },
  });
  const document = documentOf(
    {
      [`//${new URL(other).host}/a`]: get('slashes'),
      [`/\\${new URL(other).host}/a`]: get('backslash'),
      '/servers': get('servers', { servers: [{ url: other }] }),
      '/item': { ...get('item'), servers: [{ url: other }] },
      '@evil/': get('user'),
      '/x/.\t./.\t./admin': get('tabs'),
      '/x/.\n./admin': get('lines'),
    },
    { servers: [{ url: other }] },
  );
  const source = openApiTools({ name: 'a', document, baseUrl });
  const names = [...source.tools()].map(({ name }) => name);
  expect(names).toEqual(['slashes']);
  await callerOf({ baseUrl, document })('slashes');
  expect(received.map(({ url }: Received) => url)).toEqual([`//${new URL(other).host}/a`]);
  expect(elsewhere).toEqual([]);
});

it('refuses arguments that would become a huge request', async () => {
  const { baseUrl, received } = await serveEcho();
  const deep = { name: 'deep', in: 'query', style: 'deepObject', schema: {} };
  const form = {
    'application/x-www-form-urlencoded': {
      schema: { type: 'object', properties: { f: {} } },
      encoding: { f: { style: 'deepObject' } },
    },
  };
  const document = documentOf({
    '/q': {
      get: { operationId: 'q', parameters: [deep, { name: 'list', in: 'query', schema: {} }] },
    },
    '/f': { post: { operationId: 'f', requestBody: { content: form } } },
  });
  const call = callerOf({ baseUrl, document });
  const long = { ['k'.repeat(400_000)]: Array.from({ length: 15_000 }, () => 1) };
  expect(await call('q', { deep: long })).toMatchObject({
    message: expect.stringContaining('16384 characters'),
  });
  expect(await call('q', { list: Array.from({ length: 15_000 }, () => 'x') })).toMatchObject({
    type: 'Failed',
  });
  expect(await call('f', { f: long })).toMatchObject({
    message: expect.stringContaining('8388608 characters'),
  });
  expect(received).toEqual([]);
});

it('makes many tools of a document in which all refer to the same large parts', () => {
  const times = <Value>(count: number, make: (at: number) => [string, Value]): object =>
    Object.fromEntries(Array.from({ length: count }, (_value, at) => make(at)));
  const securitySchemes = times(50_000, (at) => [
    `s${at}`,
    { type: 'apiKey', in: 'query', name: `k${at}` },
  ]);
  const parameters = Array.from({ length: 100 }, (_value, at) => ({
    name: `p${at}`,
    in: 'query',
    schema: {},
  }));
  const wide = {
    type: 'object',
    properties: { a: {}, ...times(200_000, (at) => [`p${at}`, { readOnly: true }]) },
    required: Array.from({ length: 200_000 }, (_value, at) => `p${at}`),
  };
  const types = times(50_000, (at) => [`x/t${at}`, {}]);
  // Each becomes a definition, and the same word is left of all their names.
  const schemas = {
    wide,
    ...times(100_000, (at) => ['é'.repeat((at % 60) + 1) + '_'.repeat(60) + at, {}]),
  };
  const names = Object.keys(schemas).slice(1);
  const paths = times(300, (at) => [
    `/p${at}`,
    {
      put: {
        parameters,
        requestBody: { $ref: '#/components/requestBodies/b' },
        responses: {
          200: { $ref: '#/components/responses/r' },
          201: {
            content: {
              'application/json': {
                schema: { anyOf: names.slice(at * 300, at * 300 + 300).map(ref) },
              },
            },
          },
        },
      },
    },
  ]);
  const components = {
    schemas,
    securitySchemes,
    requestBodies: { b: { content: { ...types, 'application/json': { schema: ref('wide') } } } },
    responses: { r: { content: { ...types, 'application/json': { schema: ref('wide') } } } },
  };
  const tools = toolsOf(documentOf(paths, { components }));
  expect(tools).toHaveLength(300);
  expect(Object.keys(tools[0]?.inputSchema['properties'] as object)).toHaveLength(101);
});

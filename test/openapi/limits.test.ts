import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { Tool } from '../../src/tools/tool.ts';
import { callerOf, documentOf, serveEcho, toolsOf } from './support.ts';

const times = <Value>(count: number, make: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_value, at) => make(at));

/** The message of the warning about operations that are left out, if they all are. */
async function reasonOf(document: object): Promise<string> {
  const warned = once(process, 'warning');
  expect(toolsOf(document)).toEqual([]);
  const [warning] = (await warned) as [NodeJS.ErrnoException];
  return warning.message;
}

it('sends no header and no cookies of more than 8,192 characters', async () => {
  const { baseUrl, received } = await serveEcho();
  const text = { schema: { type: 'string' } };
  const parameters = [
    { name: 'x-text', in: 'header', ...text },
    { name: 'one', in: 'cookie', ...text },
    { name: 'two', in: 'cookie', ...text },
  ];
  const document = documentOf({ '/a': { get: { operationId: 'get', parameters } } });
  const call = callerOf({ baseUrl, document });
  const half = 'x'.repeat(5000);
  expect(await call('get', { 'x-text': half + half })).toMatchObject({
    type: 'Failed',
    message: expect.stringContaining('"x-text" cannot be a header: it must have at most 8192'),
  });
  expect(await call('get', { one: half, two: half })).toMatchObject({
    type: 'Failed',
    message: expect.stringContaining('the cookies have more than 8192 characters'),
  });
  expect(received).toEqual([]);
  expect(await call('get', { 'x-text': half, one: half })).toMatchObject({ method: 'GET' });
});

it.each(['application/json', 'text/plain', 'multipart/form-data'])(
  'sends no body of more than 8,388,608 characters as %s',
  async (type) => {
    const { baseUrl, received } = await serveEcho();
    // Of a multipart body, each element of a list has the name, which the document chooses.
    const name = 'n'.repeat(10_000);
    const list = { type: 'array', items: { type: 'string' } };
    const schema =
      type === 'multipart/form-data'
        ? { type: 'object', properties: { [name]: list } }
        : { type: 'string' };
    const post = { operationId: 'send', requestBody: { content: { [type]: { schema } } } };
    const call = callerOf({ baseUrl, document: documentOf({ '/a': { post } }) });
    const send = async (count: number): Promise<unknown> =>
      call('send', {
        ...(type === 'multipart/form-data'
          ? { [name]: times(count, () => 'x') }
          : { body: name.repeat(count) }),
      });
    expect(await send(900)).toMatchObject({
      type: 'Failed',
      message: expect.stringContaining('the body of the request has more than 8388608 characters'),
    });
    expect(received).toEqual([]);
    expect(await send(2)).toMatchObject({ method: 'POST' });
  },
);

it('leaves out operations with more parts than anybody can use', async () => {
  const parameters = times(201, (at) => ({ name: `p${at}`, in: 'query', schema: {} }));
  expect(await reasonOf(documentOf({ '/a': { get: { parameters } } }))).toContain(
    'GET /a (it has more than 200 parameters)',
  );
  const servers = [...times(100, (at) => ({ url: `https://${at}.example.com` })), { url: '/v2' }];
  expect(await reasonOf(documentOf({ '/a': { get: { servers } } }))).toContain(
    'GET /a (its server has another origin, or a variable without a default)',
  );
  const post = {
    consumes: [...times(100, (at) => `x/t${at}`), 'application/json'],
    parameters: [{ name: 'b', in: 'body', schema: {} }],
  };
  expect(await reasonOf({ swagger: '2.0', paths: { '/a': { post } } })).toContain(
    'POST /a (its body is written as "x/t0")',
  );
});

it('follows 20 references in a row, of at most 2,000 characters', async () => {
  const documentWith = (references: number, name = 'p'): object => {
    const aliases = times(references - 1, (at) => [
      `${name}${at}`,
      { $ref: `#/components/parameters/${name}${at + 1}` },
    ]);
    const last = [`${name}${references - 1}`, { name: 'q', in: 'query', schema: {} }];
    const components = { parameters: Object.fromEntries([...aliases, last]) as object };
    const parameters = [{ $ref: `#/components/parameters/${name}0` }];
    return documentOf({ '/a': { get: { parameters } } }, { components });
  };
  expect(toolsOf(documentWith(19))[0]?.inputSchema).toMatchObject({ properties: { q: {} } });
  const reason = 'GET /a (a parameter is not in the document)';
  expect(await reasonOf(documentWith(25))).toContain(reason);
  expect(await reasonOf(documentWith(1, 'p'.repeat(2000)))).toContain(reason);
});

it('describes up to ten answers of an operation, and names it with up to 128 characters', () => {
  const toolWith = (answers: number): Tool<unknown> | undefined => {
    const responses = Object.fromEntries(
      times(answers, (at) => [
        String(200 + at),
        { content: { 'application/json': { schema: { const: at } } } },
      ]),
    ) as object;
    return toolsOf(documentOf({ [`/${'a/'.repeat(500)}`]: { get: { responses } } }))[0];
  };
  expect(toolWith(10)?.outputSchema).toEqual({ anyOf: times(10, (at) => ({ const: at })) });
  // A result may be the eleventh.
  expect(toolWith(11)).toMatchObject({ outputSchema: undefined });
  expect(toolWith(11)?.name).toBe(`get${'_a'.repeat(500)}`.slice(0, 128));
});

it('accepts any value for a body whose schema is nested more than 30 levels deep', () => {
  const bodyOf = (depth: number): unknown => {
    const schema = times(depth, String).reduce<object>((items) => ({ items }), { type: 'null' });
    const post = { requestBody: { content: { 'application/json': { schema } } } };
    const [tool] = toolsOf(documentOf({ '/a': { post } }));
    return tool?.inputSchema['properties'];
  };
  expect(JSON.stringify(bodyOf(30))).toContain('"type":"null"');
  expect(bodyOf(31)).toEqual({ body: {} });
});

it('accepts any value for what is beyond 60,000 characters of schemas', () => {
  const schemas = Object.fromEntries(
    ['A', 'B', 'C'].map((name) => [name, { const: name + 'x'.repeat(25_000) }]),
  );
  const parameters = Object.keys(schemas).map((name) => {
    return { name, in: 'query', schema: { $ref: `#/components/schemas/${name}` } };
  });
  const document = documentOf({ '/a': { get: { parameters } } }, { components: { schemas } });
  const { A, B } = schemas;
  expect(toolsOf(document)[0]?.inputSchema['$defs']).toEqual({ A, B, C: {} });
});

it('shows 1,000 characters of the description of a schema', () => {
  const schema = { type: 'string', description: 'x'.repeat(1001) };
  const parameters = [{ name: 'q', in: 'query', schema }];
  const [tool] = toolsOf(documentOf({ '/a': { get: { parameters } } }));
  const q = { type: ['string', 'null'], description: 'x'.repeat(1000) };
  expect(tool?.inputSchema['properties']).toEqual({ q });
});

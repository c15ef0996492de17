import { expect, it } from 'vitest';
import { callerOf, documentOf, serveEcho, toolsOf, type Received } from './support.ts';

const text = { type: 'string' };
const sort = { enum: ['up', 'down'] };
const components = { schemas: { Sort: { type: 'string', ...sort } } };

const query = (name: string, schema: object, more: object = {}): object => ({
  name,
  in: 'query',
  schema,
  ...more,
});
const OPTIONAL = [
  query('cursor', text),
  query('after', { type: 'integer', format: 'int64' }),
  query('sort', { $ref: '#/components/schemas/Sort' }, { description: 'The order.' }),
  query('order', { ...sort, default: 'up' }),
  query('kind', { ...text, const: 'a' }),
  query('only', { ...text, allOf: [{ enum: ['a'] }] }),
  { name: 'X-Trace', in: 'header', schema: text },
  { name: 'session', in: 'cookie', schema: text },
];
const nulls = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, null]));
const ALL_NULL = nulls((OPTIONAL as { readonly name: string }[]).map(({ name }) => name));

it('does not send an optional parameter that is null, whatever its schema says', async () => {
  const { baseUrl } = await serveEcho();
  const document = documentOf(
    { '/a': { get: { operationId: 'list', parameters: OPTIONAL } } },
    { components },
  );
  const call = callerOf({ baseUrl, document });
  const { url, headers } = (await call('list', ALL_NULL)) as Received;
  expect(url).toBe('/a');
  expect(Object.keys(headers)).not.toContain('x-trace');
  expect(headers.cookie).toBeUndefined();
  expect(await call('list', { ...ALL_NULL, cursor: 'x' })).toMatchObject({ url: '/a?cursor=x' });
  expect(await call('list', { cursor: 1 })).toMatchObject({
    type: 'InvalidArguments',
    message: 'cursor: expected string or null, received number',
  });
});

it('says in the schema that an optional parameter can be null', () => {
  const document = documentOf({ '/a': { get: { parameters: OPTIONAL } } }, { components });
  const [tool] = toolsOf(document);
  expect(tool?.inputSchema['properties']).toEqual({
    cursor: { type: ['string', 'null'] },
    after: {
      anyOf: [
        { type: 'integer', format: 'int64' },
        { type: 'string', pattern: expect.any(String) },
        { type: 'null' },
      ],
    },
    sort: { anyOf: [{ $ref: '#/$defs/Sort' }, { type: 'null' }], description: 'The order.' },
    order: { anyOf: [sort, { type: 'null' }], default: 'up' },
    kind: { anyOf: [{ ...text, const: 'a' }, { type: 'null' }] },
    only: { anyOf: [{ ...text, allOf: [{ enum: ['a'] }] }, { type: 'null' }] },
    'X-Trace': { type: ['string', 'null'] },
    session: { type: ['string', 'null'] },
  });
});

it('does not show rules of a policy what is not sent', () => {
  const document = documentOf({ '/a': { get: { parameters: OPTIONAL } } }, { components });
  const [tool] = toolsOf(document);
  expect(tool?.validateInput({ ...ALL_NULL, cursor: 'x' })).toEqual({
    valid: true,
    value: { cursor: 'x' },
  });
});

it('refuses null for a parameter that is required', async () => {
  const { baseUrl, received } = await serveEcho();
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: text },
    query('q', text, { required: true }),
  ];
  const document = documentOf({ '/a/{id}': { get: { operationId: 'get', parameters } } });
  const call = callerOf({ baseUrl, document });
  for (const input of [
    { id: null, q: 'x' },
    { id: 'x', q: null },
  ]) {
    expect(await call('get', input)).toMatchObject({ type: 'InvalidArguments' });
  }
  expect(received).toEqual([]);
});

it.each([
  ['application/x-www-form-urlencoded', /^b=x$/],
  ['multipart/form-data', /^[^]*name="b"\r\n\r\nx\r\n[^]*$/],
])('does not send an optional field of %s that is null', async (type, body) => {
  const { baseUrl } = await serveEcho();
  const schema = { type: 'object', properties: { a: text, b: text }, required: ['b'] };
  const requestBody = { required: true, content: { [type]: { schema } } };
  const document = documentOf({ '/a': { post: { operationId: 'send', requestBody } } });
  const call = callerOf({ baseUrl, document });
  const sent = (await call('send', { a: null, b: 'x' })) as Received;
  expect(sent.body).toMatch(body);
  expect(sent.body).not.toContain('"a"');
  expect(await call('send', { b: null })).toMatchObject({ type: 'InvalidArguments' });
});

it('takes null in a body of JSON only where its schema does', async () => {
  const { baseUrl } = await serveEcho();
  const properties = { a: text, b: { type: ['string', 'null'] } };
  const content = { 'application/json': { schema: { type: 'object', properties } } };
  const document = documentOf({
    '/a': { post: { operationId: 'send', requestBody: { content } } },
  });
  const call = callerOf({ baseUrl, document });
  expect(await call('send', { a: null })).toMatchObject({ type: 'InvalidArguments' });
  expect(await call('send', { b: null })).toMatchObject({ body: '{"b":null}' });
});

import { expect, it } from 'vitest';
import { callerOf, documentOf, serveEcho, toolsOf, type Received } from './support.ts';

const query = (name: string, more: object = {}, schema: object = {}): object => ({
  name,
  in: 'query',
  schema,
  ...more,
});
const inPath = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
});

it('writes each style of parameter as the specification says', async () => {
  const { baseUrl } = await serveEcho();
  const parameters = [
    query('text'),
    query('list'),
    query('commas', { explode: false }),
    query('pipes', { style: 'pipeDelimited', explode: false }),
    query('spaces', { style: 'spaceDelimited', explode: false }),
    query('deep', { style: 'deepObject' }),
    query('members', { explode: false }),
    query('object'),
    { name: 'json', in: 'query', content: { 'application/json': { schema: {} } } },
    { name: 'X-List', in: 'header', schema: {} },
    { name: 'X-Object', in: 'header', explode: true, schema: {} },
    { name: 'session', in: 'cookie', schema: {} },
    { name: 'joined', in: 'cookie', explode: false, schema: {} },
  ];
  const call = callerOf({
    baseUrl,
    document: documentOf({ '/q': { get: { operationId: 'q', parameters } } }),
  });
  const sent = async (input: object): Promise<Received> => (await call('q', input)) as Received;
  const urlOf = async (input: object): Promise<string | undefined> => (await sent(input)).url;
  expect(await urlOf({ text: 'a b&c=d/é' })).toBe('/q?text=a%20b%26c%3Dd%2F%C3%A9');
  expect(await urlOf({ list: ['a', 2, true] })).toBe('/q?list=a&list=2&list=true');
  expect(await urlOf({ commas: ['a,b', 'c'] })).toBe('/q?commas=a%2Cb,c');
  expect(await urlOf({ pipes: ['a', 'b'] })).toBe('/q?pipes=a%7Cb');
  expect(await urlOf({ spaces: ['a', 'b'] })).toBe('/q?spaces=a%20b');
  expect(await urlOf({ deep: { a: { b: 1 }, c: ['x'] } })).toBe(
    '/q?deep%5Ba%5D%5Bb%5D=1&deep%5Bc%5D%5B0%5D=x',
  );
  expect(await urlOf({ members: { r: 1, g: 2 } })).toBe('/q?members=r,1,g,2');
  expect(await urlOf({ object: { r: 1, g: 2 } })).toBe('/q?r=1&g=2');
  expect(await urlOf({ json: { a: [1] } })).toBe('/q?json=%7B%22a%22%3A%5B1%5D%7D');
  expect(await urlOf({ list: [], text: null })).toBe('/q');
  const { headers } = await sent({ 'X-List': ['a', 'b'], 'X-Object': { r: 1 }, session: 'x y;z' });
  expect(headers).toMatchObject({
    'x-list': 'a,b',
    'x-object': 'r=1',
    cookie: 'session=x%20y%3Bz',
  });
  const cookieOf = async (input: object): Promise<unknown> => (await sent(input)).headers.cookie;
  expect(await cookieOf({ session: { R: 100, 'G;': 'a b' } })).toBe('R=100; G%3B=a%20b');
  expect(await cookieOf({ session: ['a', 'b'] })).toBe('session=a; session=b');
  expect(await cookieOf({ joined: { R: 100, G: 200 } })).toBe('joined=R,100,G,200');
  const none = await sent({ 'X-List': null, session: null });
  expect(Object.keys(none.headers)).not.toContain('x-list');
  expect(none.headers.cookie).toBeUndefined();
  expect(await call('q', { list: [{ a: 1 }] })).toMatchObject({
    type: 'Failed',
    message: expect.stringContaining('"list" has an object or a list inside it'),
  });
  expect(await call('q', { 'X-List': 'a\r\nHost: evil' })).toMatchObject({
    type: 'Failed',
    message: expect.stringContaining('"X-List" cannot be a header'),
  });
});

it('keeps a value in the path what it is: a part of one segment', async () => {
  const { baseUrl, received } = await serveEcho();
  const parameters = [inPath('owner'), inPath('file')];
  const document = documentOf({
    '/r/{owner}/f-{file}': { get: { operationId: 'read', parameters } },
  });
  const call = callerOf({ baseUrl: `${baseUrl}/v1/`, document });
  const whole = (await call('read', { owner: 'a/b?c#d%2e', file: 'ü' })) as Received;
  expect(whole.url).toBe('/v1/r/a%2Fb%3Fc%23d%252e/f-%C3%BC');
  for (const owner of [
    '',
    '.',
    '..',
    'a/../b',
    String.raw`..\x`,
    '%2e%2E',
    ' .. ',
    '..;',
    '.;a',
    'a/..;x=1/b',
    '..%3Bx',
    'a%2f..%5Cb',
  ]) {
    expect(await call('read', { owner, file: 'x' })).toMatchObject({
      type: 'Failed',
      message: expect.stringContaining('"owner"'),
    });
  }
  expect(received).toHaveLength(1);
});

it('puts parameters and the properties of the body into one object of arguments', async () => {
  const { baseUrl } = await serveEcho();
  const properties = {
    id: { type: 'integer' },
    title: { type: 'string' },
    made: { type: 'string', readOnly: true },
  };
  const schema = { type: 'object', properties, required: ['id', 'title', 'made'] };
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const parameters = [query('id'), inPath('id'), query('page', {}, { type: 'integer' })];
  const document = documentOf({
    '/things/{id}': { put: { operationId: 'put', parameters, requestBody } },
  });
  const [tool] = toolsOf(document);
  expect(tool?.inputSchema).toEqual({
    type: 'object',
    properties: {
      id: { type: 'string' },
      query_id: {},
      page: { type: ['integer', 'null'] },
      body_id: { type: 'integer' },
      title: { type: 'string' },
    },
    required: ['id', 'body_id', 'title'],
    additionalProperties: false,
  });
  const call = callerOf({ baseUrl, document });
  const sent = (await call('put', { id: 'a', query_id: 'b', body_id: 3, title: 't' })) as Received;
  expect(sent).toMatchObject({
    method: 'PUT',
    url: '/things/a?id=b',
    body: '{"id":3,"title":"t"}',
  });
  expect(sent.headers['content-type']).toBe('application/json');
  expect(await call('put', { id: 'a', title: 't' })).toMatchObject({ type: 'InvalidArguments' });
});

it('sends bodies that are not plain objects as the argument body', async () => {
  const { baseUrl } = await serveEcho();
  const body = (schema: object, type = 'application/json'): object => ({
    operationId: 'send',
    requestBody: { content: { [type]: { schema } } },
  });
  const send = (operation: object): ReturnType<typeof callerOf> =>
    callerOf({ baseUrl, document: documentOf({ '/': { post: operation } }) });
  const list = send(body({ type: 'array', items: { type: 'integer' } }));
  expect(await list('send', { body: [1, 2] })).toMatchObject({ body: '[1,2]' });
  expect(await list('send')).toMatchObject({ body: '', headers: { 'content-length': '0' } });
  const open = send(body({ type: 'object', additionalProperties: { type: 'string' } }));
  expect(await open('send', { body: { a: 'b' } })).toMatchObject({ body: '{"a":"b"}' });
  const text = send(body({ type: 'string' }, 'text/plain'));
  expect(await text('send', { body: 'plain' })).toMatchObject({
    body: 'plain',
    headers: { 'content-type': 'text/plain' },
  });
});

it('writes forms, with the styles of their properties', async () => {
  const { baseUrl } = await serveEcho();
  const properties = { name: { type: 'string' }, tags: { type: 'array' }, meta: {}, deep: {} };
  const schema = { type: 'object', properties };
  const encoding = { deep: { style: 'deepObject', explode: true } };
  const content = { 'application/x-www-form-urlencoded': { schema, encoding } };
  const document = documentOf({
    '/f': { post: { operationId: 'form', requestBody: { content } } },
  });
  const call = callerOf({ baseUrl, document });
  const input = { name: 'a b', tags: ['x', 'y'], meta: { k: 1 }, deep: { a: { b: 'c' } } };
  expect(await call('form', input)).toMatchObject({
    body: 'name=a%20b&tags=x&tags=y&meta=%7B%22k%22%3A1%7D&deep%5Ba%5D%5Bb%5D=c',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
});

it('writes the lists of forms in Swagger 2.0 as their collectionFormat says', async () => {
  const { baseUrl } = await serveEcho();
  const list = (name: string, collectionFormat?: string): object => ({
    name,
    in: 'formData',
    type: 'array',
    items: { type: 'string' },
    collectionFormat,
  });
  const fields = [list('a'), list('b', 'ssv'), list('c', 'pipes'), list('d', 'multi')];
  const input = { a: ['x,1', 'y'], b: ['x', 'y'], c: ['x', 'ü'], d: ['x', 'y'] };
  const callTo = (consumes: string, parameters: readonly object[]): ReturnType<typeof callerOf> => {
    const post = { operationId: 'form', consumes: [consumes], parameters };
    return callerOf({ baseUrl, document: { swagger: '2.0', paths: { '/f': { post } } } });
  };
  expect(await callTo('application/x-www-form-urlencoded', fields)('form', input)).toMatchObject({
    body: 'a=x%2C1,y&b=x%20y&c=x%7C%C3%BC&d=x&d=y',
  });
  const sent = (await callTo('multipart/form-data', fields)('form', {
    ...input,
    b: [],
  })) as Received;
  expect(await partsOf(sent)).toEqual([
    ['a', 'x,1,y'],
    ['c', 'x|ü'],
    ['d', 'x'],
    ['d', 'y'],
  ]);
  const tabs = { '/f': { post: { parameters: [list('a', 'tsv')] } } };
  expect(toolsOf({ swagger: '2.0', paths: tabs })).toEqual([]);
});

async function partsOf({ body, headers }: Received): Promise<unknown[]> {
  const type = headers['content-type'] ?? '';
  return [...(await new Response(body, { headers: { 'content-type': type } }).formData())];
}

it('writes multipart bodies of simple parts', async () => {
  const { baseUrl } = await serveEcho();
  const properties = {
    name: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
  };
  const content = { 'multipart/form-data': { schema: { type: 'object', properties } } };
  const document = documentOf({
    '/f': { post: { operationId: 'form', requestBody: { content } } },
  });
  const sent = (await callerOf({ baseUrl, document })('form', {
    name: 'a',
    tags: ['x', 'y'],
  })) as Received;
  expect(await partsOf(sent)).toEqual([
    ['name', 'a'],
    ['tags', 'x'],
    ['tags', 'y'],
  ]);
});

it('sends a long integer as an answer gave it, where it is written as text', async () => {
  const id = '9007199254740993';
  const long = { type: 'integer', format: 'int64' };
  const ref = { $ref: '#/components/schemas/Id' };
  const parameters = [
    { ...inPath('id'), schema: ref },
    query('after', {}, long),
    query('some', {}, { type: 'array', items: ref }),
    query('page', {}, { type: 'integer' }),
    { name: 'json', in: 'query', content: { 'application/json': { schema: long } } },
    { name: 'X-Id', in: 'header', schema: { ...long, type: ['integer', 'null'] } },
  ];
  const schema = { type: 'object', properties: { id: ref, json: long } };
  const sending = (type: string, more: object = {}): object => ({
    operationId: type.replace(/.*\W/, ''),
    requestBody: { content: { [type]: { schema, ...more } } },
  });
  const encoding = { json: { contentType: 'application/json' } };
  const document = documentOf(
    {
      '/a/{id}': { get: { operationId: 'get', parameters } },
      '/b': { post: sending('application/x-www-form-urlencoded', { encoding }) },
      '/c': { post: sending('multipart/form-data') },
      '/d': { post: sending('application/json') },
    },
    { components: { schemas: { Id: long } } },
  );
  const { baseUrl, received } = await serveEcho();
  const call = callerOf({ baseUrl, document });
  expect(await call('get', { id, after: `-${id}`, some: [id, 7], 'X-Id': id })).toMatchObject({
    url: `/a/${id}?after=-${id}&some=${id}&some=7`,
    headers: { 'x-id': id },
  });
  expect(await call('get', { id: 7 })).toMatchObject({ url: '/a/7' });
  expect(await call('urlencoded', { id })).toMatchObject({ body: `id=${id}` });
  expect(await call('data', { id })).toMatchObject({ body: expect.stringContaining(id) });
  received.splice(0);
  const refused = [
    ['get', { id: '7' }],
    ['get', { id: `${id}/x` }],
    ['get', { id, page: id }],
    ['get', { id, json: id }],
    ['urlencoded', { json: id }],
    ['json', { id }],
  ] as const;
  for (const [tool, input] of refused) {
    expect(await call(tool, input)).toMatchObject({ type: 'InvalidArguments' });
  }
  expect(received).toEqual([]);
});

it('asks the first server of an operation whose variables all have a default', async () => {
  const { baseUrl } = await serveEcho();
  const servers = [
    { url: '/{version}' },
    { url: '/v{version}', variables: { version: { default: 2 } } },
  ];
  const document = documentOf({ '/a': { get: { operationId: 'get', servers } } });
  expect(await callerOf({ baseUrl, document })('get')).toMatchObject({ url: '/v2/a' });
});

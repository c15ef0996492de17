import { expect, it } from 'vitest';
import { callerOf, documentOf, serveEcho, toolsOf, type Received } from './support.ts';

/** A document with an operation `send` that has a body. */
function sending(type: string, media: object, more: object = {}): object {
  const requestBody = { content: { [type]: media }, ...more };
  return documentOf({ '/a': { post: { operationId: 'send', requestBody } } });
}

it('sends the text of a body whose format only a program can write', async () => {
  const { baseUrl } = await serveEcho();
  const row = { type: 'object', properties: { a: { type: 'string' } } };
  const rows = { type: 'array', items: row };
  for (const [type, schema, body] of [
    ['application/xml', row, '<row a="x"/>'],
    ['text/csv', rows, 'a,b\n1,2'],
    ['application/x-ndjson', rows, '{"a":"x"}\n'],
    ['text/xml', {}, '<a/>'],
  ] as const) {
    const document = sending(type, { schema }, { required: true, description: 'The rows.' });
    const [tool] = toolsOf(document);
    expect(tool?.inputSchema).toEqual({
      type: 'object',
      properties: {
        body: { type: 'string', description: `The text of the body, as ${type}. The rows.` },
      },
      required: ['body'],
      additionalProperties: false,
    });
    const call = callerOf({ baseUrl, document });
    expect(await call('send', { body })).toMatchObject({ body, headers: { 'content-type': type } });
    expect(await call('send', { body: [{ a: 'x' }] })).toMatchObject({ type: 'InvalidArguments' });
  }
  const limited = sending('text/csv', { schema: { type: 'string', maxLength: 3 } });
  expect(await callerOf({ baseUrl, document: limited })('send', { body: 'a,b,c' })).toMatchObject({
    type: 'InvalidArguments',
  });
});

const list = (items: object): object => ({ type: 'array', items });
const JSON_ENCODED = { contentType: 'application/json' };

it('writes properties of a form as JSON if the document says so, and objects in lists', async () => {
  const { baseUrl } = await serveEcho();
  const properties = {
    tags: list({ type: 'string' }),
    items: list({ type: 'object' }),
    note: { type: ['string', 'null'] },
    plain: list({ type: 'integer' }),
  };
  const document = sending('application/x-www-form-urlencoded', {
    schema: { type: 'object', properties },
    encoding: { tags: JSON_ENCODED, note: JSON_ENCODED },
  });
  const call = callerOf({ baseUrl, document });
  const bodyOf = async (input: object): Promise<unknown> =>
    new URLSearchParams(((await call('send', input)) as Received).body).toString();
  const expected = (pairs: [string, string][]): string => new URLSearchParams(pairs).toString();
  expect(await bodyOf({ tags: ['a', 'b'], note: 'x', plain: [1, 2] })).toBe(
    expected([
      ['tags', '["a","b"]'],
      ['note', '"x"'],
      ['plain', '1'],
      ['plain', '2'],
    ]),
  );
  expect(await bodyOf({ items: [{ a: 1 }, { b: [2] }], note: null })).toBe(
    expected([
      ['items', '{"a":1}'],
      ['items', '{"b":[2]}'],
    ]),
  );
});

it('writes parts as JSON if the document says so, and none for null', async () => {
  const { baseUrl } = await serveEcho();
  const text = { type: 'string' };
  const document = sending('multipart/form-data', {
    schema: {
      type: 'object',
      properties: { tags: list(text), note: { ...text, nullable: true }, '"x"\n': text },
    },
    encoding: { tags: JSON_ENCODED },
  });
  const call = callerOf({ baseUrl, document: { ...document, openapi: '3.0.3' } });
  const input = { tags: ['a', 'b'], note: null, '"x"\n': 'one\ntwo é' };
  const { body, headers } = (await call('send', input)) as Received;
  const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(
    headers['content-type'] ?? '',
  ) ?? [''];
  expect(body.split(`--${boundary}`).map((part) => part.split('\r\n'))).toEqual([
    [''],
    [
      '',
      'content-disposition: form-data; name="tags"',
      'content-type: application/json',
      '',
      '["a","b"]',
      '',
    ],
    ['', 'content-disposition: form-data; name="%22x%22%0D%0A"', '', 'one', 'two é', ''],
    ['--', ''],
  ]);
});

it.each([
  ['application/vnd.x+json; version=2', 'application/vnd.x+json; version=2'],
  [
    'application/json;profile="a b"; charset=UTF-8',
    'application/json; profile="a b"; charset=UTF-8',
  ],
  ['application/json; charset=latin1', 'application/json'],
  ['application/json; a=\r\nx: 1', 'application/json'],
  ['application/json; é=1', 'application/json'],
])('sends the parameters of a media type that can be sent: %j', async (type, sent) => {
  const { baseUrl } = await serveEcho();
  const call = callerOf({ baseUrl, document: sending(type, { schema: {} }) });
  expect(await call('send', { body: 1 })).toMatchObject({ headers: { 'content-type': sent } });
});

it.each(['application/x-www-form-urlencoded', 'multipart/form-data'])(
  'sends no body as %s that is not an object',
  async (type) => {
    const { baseUrl, received } = await serveEcho();
    const fields = { type: 'object', properties: { a: { type: 'string' } } };
    const schemas = [
      { ...fields, additionalProperties: true },
      { ...fields, allOf: [{ required: ['a'] }] },
      { properties: fields.properties, minProperties: 1 },
      ...(type === 'multipart/form-data'
        ? []
        : [undefined, { type: 'string' }, { nullable: true }]),
    ];
    for (const schema of schemas) {
      const call = callerOf({ baseUrl, document: sending(type, { schema }) });
      for (const body of ['a=1&b=2', [['a', '1']], 7, null]) {
        expect(await call('send', { body })).toMatchObject({
          type: 'InvalidArguments',
          message: expect.stringContaining('body'),
        });
      }
      expect(received.splice(0)).toEqual([]);
      expect(await call('send', { body: { a: 'x' } })).toMatchObject({
        body: expect.stringMatching(/a=x|name="a"/),
      });
      received.splice(0);
    }
  },
);

const file = { type: 'string', format: 'binary' };

/** The types of what a tool with a body of these media types takes; undefined if there is no tool. */
function takenOf(content: object): unknown {
  const post = { operationId: 'send', requestBody: { content } };
  const [tool] = toolsOf(documentOf({ '/a': { post } }));
  return tool && Object.keys(tool.inputSchema['properties'] as object);
}

it('sends a body as text if its form has a file', () => {
  const form = { schema: { type: 'object', properties: { f: file } } };
  expect(takenOf({ 'multipart/form-data': form, 'text/csv': {} })).toEqual(['body']);
  expect(takenOf({ 'text/csv': {}, 'multipart/form-data': form })).toEqual(['body']);
  expect(takenOf({ 'multipart/form-data': form, 'application/zip': {} })).toBeUndefined();
});

it('sends parts that can be null or have one of several types, but no files and objects', async () => {
  const [text, none] = [{ type: 'string' }, { type: 'null' }];
  const formOf = (property: object): object => ({
    schema: { type: 'object', properties: { a: property } },
  });
  for (const property of [
    { type: ['string', 'null'] },
    { type: ['array', 'null'], items: { type: ['string', 'integer'] } },
    { anyOf: [text, none] },
    { oneOf: [list({ anyOf: [text, { type: 'integer' }] }), none] },
    { type: 'string', anyOf: [{ minLength: 1 }, { maxLength: 0 }] },
  ]) {
    const { baseUrl } = await serveEcho();
    const document = sending('multipart/form-data', formOf(property));
    const call = callerOf({ baseUrl, document });
    const isList = JSON.stringify(property).includes('array');
    expect(await call('send', { a: isList ? ['x'] : 'x' })).toMatchObject({
      body: expect.stringContaining('name="a"\r\n\r\nx\r\n'),
    });
    expect(await call('send', property.type === 'string' ? {} : { a: null })).toMatchObject({
      body: expect.stringMatching(/^(--form-[\w-]+--\r\n)?$/),
    });
  }
  for (const property of [
    { type: ['object', 'null'] },
    { anyOf: [file, none] },
    { anyOf: [{ type: 'string', contentMediaType: 'image/png' }, none] },
    { type: ['array', 'null'], items: file },
    list({ anyOf: [text, none] }),
    { anyOf: [text, {}] },
    { type: [] },
  ]) {
    expect(takenOf({ 'multipart/form-data': formOf(property) })).toBeUndefined();
  }
});

it('sends no file as a field of a form in Swagger 2.0', () => {
  const fields = [{ name: 'f', in: 'formData', type: 'file' }];
  for (const more of [{}, { consumes: ['application/x-www-form-urlencoded'] }]) {
    const paths = { '/a': { post: { parameters: fields, ...more } } };
    expect(toolsOf({ swagger: '2.0', paths })).toEqual([]);
  }
});

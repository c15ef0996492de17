import { once } from 'node:events';
import { expect, it } from 'vitest';
import { OpenApiDocument } from '../../src/openapi/document/document.ts';
import { baseUrlOf } from '../../src/openapi/document/servers.ts';
import { openApiTools } from '../../src/openapi/openapi-tools.ts';
import type { OpenApiToolsOptions } from '../../src/openapi/options.ts';
import { documentOf, toolsOf } from './support.ts';

const get = (more: object = {}): object => ({ get: { responses: {}, ...more } });
const answer = (schema: object, type = 'application/json'): object => ({
  responses: { 200: { description: '', content: { [type]: { schema } } } },
});

it.each<[unknown, RegExp]>([
  ['openapi: 3.1.0', /not "openapi: 3\.1\.0"\. Parse text first/],
  [[], /not an empty array/],
  [{ info: {}, paths: {} }, /not an object without openapi and swagger, which has "info, paths"/],
  [{ openapi: '4.0.0', paths: {} }, /not one of the version "4\.0\.0"/],
  [{ openapi: '3.1.0', webhooks: {} }, /not one whose paths are undefined/],
])('says what a document is that is not an OpenAPI document: %j', (document, message) => {
  const make = (): unknown => openApiTools({ name: 'a', document: document as object });
  expect(make).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(message) }),
  );
});

it('takes the first absolute server of a document, or the address that is given', () => {
  const urlOf = (document: object, given?: string): string =>
    baseUrlOf(new OpenApiDocument(document), given).href;
  const variables = { region: { default: 'eu' }, port: { default: 8443 }, version: {} };
  const servers = [
    { url: '/v1' },
    { url: 'https://me@example.com' },
    { url: 'https://example.com/{version}', variables },
    { url: 'https://{region}.example.com:{port}/v2/', variables },
  ];
  expect(urlOf(documentOf({}, { servers }))).toBe('https://eu.example.com:8443/v2/');
  expect(urlOf(documentOf({}, { servers }), 'http://localhost:8080')).toBe(
    'http://localhost:8080/',
  );
  const swagger = { swagger: '2.0', host: 'example.com', basePath: '/v1', paths: {} };
  expect(urlOf(swagger)).toBe('https://example.com/v1');
  expect(urlOf({ ...swagger, schemes: ['http'] })).toBe('http://example.com/v1');
});

it.each<[Partial<OpenApiToolsOptions>, RegExp]>([
  [{}, /^baseUrl must be given, because the document names no absolute server/],
  [{ baseUrl: 'ftp://x' }, /^baseUrl must be an address that begins with http/],
  [{ baseUrl: 'https://me:secret@example.com' }, /without a user name/],
  [{ baseUrl: 'https://example.com/{version}' }, /without .* braces/],
  [
    { baseUrl: 'http://x', operations: ['listPet'] },
    /no operation "listPet"\. Did you mean listPets\?/,
  ],
  [
    { baseUrl: 'http://x', operations: ['removeEverything'] },
    /no operation "removeEverything"\. It has listPets\.$/,
  ],
  [
    { baseUrl: 'http://x', operations: () => 1 as never },
    /^operations must return true or false, not 1/,
  ],
  [
    { baseUrl: 'http://x', operations: [1] as never },
    /^operations must be a list of operationIds, or a function/,
  ],
])('refuses the options %j', (more, message) => {
  const document = documentOf(
    { '/pets': get({ operationId: 'listPets' }) },
    { servers: [{ url: '/' }] },
  );
  const make = (): unknown => openApiTools({ name: 'a', document, ...more });
  expect(make).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(message) }),
  );
  expect(make).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret') }));
});

it('makes a tool of each operation that is chosen', () => {
  const document = documentOf({
    '/pets': {
      ...get({ operationId: 'pets:list', tags: ['pets'], summary: 'Lists pets.' }),
      post: { deprecated: true },
    },
    '/pets/{id}.json': { ...get(), parameters: [{ name: 'id', in: 'path', schema: {} }] },
    'x-note': get(),
  });
  const namesOf = (operations?: OpenApiToolsOptions['operations']): unknown =>
    toolsOf(document, operations && { operations }).map(({ name }) => name);
  expect(namesOf()).toEqual(['pets_list', 'post_pets', 'get_pets_id_json']);
  expect(namesOf(['pets:list', 'get_pets_id_json'])).toEqual(['pets_list', 'get_pets_id_json']);
  expect(namesOf(({ tags }) => tags.includes('pets'))).toEqual(['pets_list']);
  expect(namesOf(({ method, isDeprecated }) => method === 'POST' && isDeprecated)).toEqual([
    'post_pets',
  ]);
  expect(toolsOf(document).map(({ description }) => description)).toEqual([
    'Lists pets.',
    'Deprecated.\n\nPOST /pets',
    'GET /pets/{id}.json',
  ]);
});

it('leaves out operations that cannot be tools, and says why', async () => {
  const warned = once(process, 'warning');
  const body = (type: string, schema: object = {}): object => ({
    post: { requestBody: { content: { [type]: { schema } } } },
  });
  const file = { type: 'object', properties: { f: { type: 'string', format: 'binary' } } };
  const matrix = { name: 'a', in: 'path', style: 'matrix', schema: {} };
  const document = documentOf({
    '/good': get(),
    '/zip': body('application/zip'),
    '/file': body('multipart/form-data', file),
    '/m/{a}': { ...get(), parameters: [matrix] },
    '/n/{b}': get(),
    '/else': { ...get(), servers: [{ url: 'https://elsewhere.example.com' }] },
    '/here': { ...get(), servers: [{ url: '/{version}' }, { url: '/v2' }] },
    '/nowhere': { ...get(), servers: [{ url: '/{version}' }] },
    '/good/': get(),
    '/a/../b': get(),
  });
  expect(toolsOf(document).map(({ name }) => name)).toEqual(['get_good', 'get_here']);
  const [warning] = (await warned) as [NodeJS.ErrnoException];
  expect(warning.code).toBe('PTC_OPENAPI_OPERATION');
  expect(warning.message).toBe(
    'Programs cannot have 8 operations of the document of api: POST /zip (its body is written as "application/zip"), POST /file (the part "f" of its multipart body is a file or an object), GET /m/{a} (the parameter "a" has the style "matrix"), GET /n/{b} (its path has "b", which is not a parameter), GET /else (its server has another origin, or a variable without a default)',
  );
});

it('says which operations it could not read, or not send', async () => {
  const warned = once(process, 'warning');
  const document = documentOf({
    '/good': get({ operationId: 'good' }),
    '/file': { $ref: './paths.yaml#/file' },
    '/none': { $ref: '#/components/pathItems/none' },
    '/t': { trace: {} },
    pets: get(),
    'x-note': get(),
    '/body': { post: { requestBody: { $ref: './bodies.yaml#/b' } } },
  });
  expect(toolsOf(document, { operations: ['good'] }).map(({ name }) => name)).toEqual(['good']);
  expect(toolsOf(document).map(({ name }) => name)).toEqual(['good']);
  const [warning] = (await warned) as [NodeJS.ErrnoException];
  expect(warning.message).toBe(
    'Programs cannot have 5 operations of the document of api: all of /file (it refers to "./paths.yaml#/file", which is not in the document), all of /none (it refers to "#/components/pathItems/none", which is not in the document), TRACE /t (the method cannot be sent), all of pets (a path must begin with /), POST /body (its body is not in the document)',
  );
});

it('says that an operation changes nothing by its method alone', () => {
  const operation = { responses: {} };
  const document = documentOf({
    '/a': { get: operation, head: operation, put: operation, post: operation, delete: operation },
  });
  const hints = toolsOf(document).map(({ name, annotations }) => [name, annotations.readOnlyHint]);
  expect(Object.fromEntries(hints)).toEqual({
    get_a: true,
    head_a: true,
    put_a: undefined,
    post_a: undefined,
    delete_a: undefined,
  });
});

it('makes self-contained schemas of those of a document', () => {
  const schemas = {
    Node: {
      type: 'object',
      properties: {
        next: { $ref: '#/components/schemas/Node' },
        kind: { $ref: '#/components/schemas/A~1b%20c' },
      },
      required: ['next'],
    },
    'A/b c': { type: 'string', enum: ['x', 'y'], nullable: true },
  };
  const operation = {
    ...answer({ type: 'array', items: { $ref: '#/components/schemas/Node' } }),
    parameters: [
      {
        name: 'n',
        in: 'query',
        schema: { type: 'number', minimum: 0, exclusiveMinimum: true, example: 1 },
      },
      { $ref: '#/components/parameters/p' },
    ],
  };
  const components = {
    schemas,
    parameters: {
      p: {
        name: 'p',
        in: 'query',
        description: 'P.',
        schema: { $ref: '#/components/schemas/Node' },
      },
    },
  };
  const [tool] = toolsOf({
    ...documentOf({ '/a': get(operation) }, { components }),
    openapi: '3.0.3',
  });
  const $defs = {
    Node: {
      type: 'object',
      properties: { next: { $ref: '#/$defs/Node' }, kind: { $ref: '#/$defs/A_b_c' } },
      required: ['next'],
    },
    A_b_c: { type: ['string', 'null'], enum: ['x', 'y', null] },
  };
  expect(tool?.outputSchema).toEqual({ type: 'array', items: { $ref: '#/$defs/Node' }, $defs });
  expect(tool?.inputSchema).toEqual({
    type: 'object',
    properties: {
      n: { type: ['number', 'null'], minimum: 0, exclusiveMinimum: 0 },
      p: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }], description: 'P.' },
    },
    additionalProperties: false,
    $defs,
  });
  expect(tool?.validateResult?.([{ next: { next: {} } }]).valid).toBe(false);
  expect(tool?.validateResult?.([]).valid).toBe(true);
});

it('describes each answer with a status of success', () => {
  const responses = {
    200: { content: { 'application/json': { schema: { type: 'integer' } } } },
    201: { content: { 'text/plain': {} } },
    204: {},
    404: { content: { 'application/json': { schema: { type: 'boolean' } } } },
  };
  const outputOf = (operation: object): unknown =>
    toolsOf(documentOf({ '/a': get(operation) }))[0]?.outputSchema;
  expect(outputOf({ responses })).toEqual({
    anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }],
  });
  expect(outputOf(answer({}, 'image/png'))).toBeUndefined();
  expect(
    outputOf({
      responses: { default: { content: { 'a/b+json': { schema: { type: 'integer' } } } } },
    }),
  ).toEqual({ type: 'integer' });
  expect(outputOf({})).toBeUndefined();
});

it('does not say what an operation returns if one of its answers is in another file', () => {
  const list = { content: { 'application/json': { schema: { type: 'array' } } } };
  const responses = { 200: { $ref: 'other.yaml#/Order' }, 201: list };
  const [tool] = toolsOf(documentOf({ '/a': get({ responses }) }));
  expect(tool?.outputSchema).toBeUndefined();
  expect(tool?.validateResult).toBeUndefined();
});

it('reads the parameters and the bodies of Swagger 2.0', () => {
  const parameters = [
    {
      name: 'ids',
      in: 'query',
      type: 'array',
      items: { type: 'integer' },
      collectionFormat: 'multi',
    },
    { name: 'name', in: 'formData', type: 'string', required: true },
    { name: 'count', in: 'formData', type: 'integer', description: 'How many.' },
  ];
  const post = {
    operationId: 'make',
    parameters,
    produces: ['application/json'],
    responses: { 200: { schema: { $ref: '#/definitions/P' } } },
  };
  const P = { type: 'object', properties: { a: { type: 'string', 'x-nullable': true } } };
  const [tool] = toolsOf({ swagger: '2.0', paths: { '/a': { post } }, definitions: { P } });
  expect(tool?.inputSchema).toEqual({
    type: 'object',
    properties: {
      ids: { type: ['array', 'null'], items: { type: 'integer' } },
      name: { type: 'string' },
      count: { type: ['integer', 'null'], description: 'How many.' },
    },
    required: ['name'],
    additionalProperties: false,
  });
  expect(tool?.outputSchema).toEqual({
    $ref: '#/$defs/P',
    $defs: { P: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
  });
});

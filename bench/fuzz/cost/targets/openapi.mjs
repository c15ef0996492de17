// OpenAPI documents, which somebody else may have written, and what services answer.

import { openApiTools } from '../../../../dist/openapi/index.js';
import { SecretFilter } from '../../../../dist/openapi/request/hide-secrets.js';
import { PtcError } from '../../../../dist/shared/errors.js';
import { text } from '../shapes.mjs';
import { anyTexts, PLAIN_TEXT, someTexts } from '../texts.mjs';

/**
 * Each operation becomes a tool, which takes some 0.06 ms, once. Documents with more of them take long in
 * proportion.
 */
const MOST_PATHS = 300;

const value = (one) => ({ value: one });
const object = (fields) => ({ object: Object.entries(fields) });
const array = (...parts) => ({ array: parts });
const many = (key, part) => ({ map: part, key });

const STRING = value({ type: 'string' });
const REFERENCE = value({ $ref: '#/components/schemas/One' });
const BODY = (schema) => object({ content: object({ 'application/json': object({ schema }) }) });
const PARAMETER = (fields) =>
  object({ name: value('a'), in: value('query'), schema: STRING, ...fields });
const OPERATION = (fields) =>
  object({ operationId: value('one'), responses: value({}), ...fields });

function documentOf(paths, more = {}) {
  const servers = value([{ url: 'https://example.com' }]);
  return object({
    openapi: value('3.1.0'),
    info: value({ title: 'T', version: '1' }),
    servers,
    paths,
    ...more,
  });
}

const oneWith = (fields, more) =>
  documentOf(object({ '/a': object({ post: OPERATION(fields) }) }), more);
const schemas = (One) => ({ components: object({ schemas: object({ One }) }) });
const ofSchema = (schema) =>
  oneWith({ requestBody: BODY(schema), responses: object({ 200: BODY(schema) }) });

const nestedBy = (by) => ({ deep: STRING, by });

const SCHEMAS = [
  object({ type: value('object'), properties: many('p', STRING) }),
  object({ type: value('object'), properties: many('p', REFERENCE), minProperties: value(1) }),
  object({
    type: value('object'),
    required: { list: { counter: 'text' } },
    properties: many('t', STRING),
  }),
  ...['items', 'not', 'additionalProperties', 'a'].map(nestedBy),
  ...['allOf', 'anyOf', 'oneOf'].map((key) => object({ [key]: { list: STRING } })),
  ...['allOf', 'anyOf', 'oneOf'].map((key) => object({ [key]: { list: REFERENCE } })),
  object({ enum: { list: { counter: 'text' } } }),
  object({ enum: { list: { counter: 'object' } } }),
  object({ type: value('object'), patternProperties: many('^p', STRING) }),
  object({ $ref: value('#/components/schemas/One'), $defs: many('d', STRING) }),
];

/** A place for a text in a document. */
const PLACES = [
  (part) => oneWith({ summary: part, description: part }),
  (part) => oneWith({ operationId: part }),
  (part) => oneWith({ parameters: array(PARAMETER({ name: part, description: part })) }),
  (part) => oneWith({ parameters: array(object({ $ref: part })) }),
  (part) => ofSchema(object({ type: value('string'), pattern: part })),
  (part) =>
    ofSchema(object({ type: value('string'), description: part, format: part, default: part })),
  (part) => ofSchema(object({ $ref: part })),
  (part) => documentOf({ entry: object({ get: OPERATION({}) }), key: part }),
  (part) => documentOf(value({}), { servers: array(object({ url: part })) }),
  (part) =>
    oneWith({ requestBody: object({ content: { entry: object({ schema: STRING }), key: part } }) }),
];

const SHAPES = [
  documentOf(many('/p', object({ get: object({ responses: value({}) }) }))),
  documentOf(
    many(
      '/{a}/p',
      object({ get: object({ parameters: array(PARAMETER({ in: value('path') })) }) }),
    ),
  ),
  documentOf(
    many('/p', object({ get: object({ requestBody: BODY(REFERENCE) }) })),
    schemas(object({ type: value('object'), properties: many('p', STRING) })),
  ),
  oneWith({ parameters: { list: PARAMETER({ name: { counter: 'text' } }) } }),
  oneWith({ parameters: { list: PARAMETER({}) } }),
  oneWith({ tags: { list: { counter: 'text' } }, security: { list: object({ one: value([]) }) } }),
  oneWith({ responses: many('x', BODY(STRING)) }),
  oneWith({ requestBody: object({ content: many('application/x', object({ schema: STRING })) }) }),
  documentOf(value({}), { servers: { list: value({ url: 'https://example.com/{a}' }) } }),
  oneWith(
    {},
    {
      components: object({ securitySchemes: many('s', value({ type: 'http', scheme: 'basic' })) }),
    },
  ),
  ...SCHEMAS.map(ofSchema),
  ...SCHEMAS.map((one) => oneWith({ requestBody: BODY(REFERENCE) }, schemas(one))),
  ...PLACES.flatMap((place) => someTexts().map(place)),
];

/** Credentials that a service could issue so that they are hard to find: all of whose parts repeat. */
const SECRETS = ['a', '/', '%2F', 'a+', 'é'].flatMap((part) => {
  const repeated = part.repeat(2000);
  return [repeated, `b${repeated}`, `${repeated}b`];
});

/** Credentials without an end or a beginning, as they are and in percent-encoding. */
const ALMOST = SECRETS.flatMap((secret) =>
  [secret.slice(1), secret.slice(0, -1)].flatMap((part) => [
    text(`${part}%`),
    text(`${encodeURIComponent(part)}+`),
  ]),
);

export const OPENAPI_TARGETS = [
  {
    name: 'openapi: credentials in an answer',
    of: 'openapi/request/hide-secrets, openapi/request/percent-encoding, openapi/request/text-search',
    make: () => {
      // To prepare this search takes most of the time, whatever the answer is.
      const filter = new SecretFilter(SECRETS);
      return {
        shapes: [...ALMOST, ...anyTexts()],
        harmless: PLAIN_TEXT,
        isText: true,
        run(answer) {
          filter.text(answer);
          filter.cutText(answer);
        },
      };
    },
  },
  {
    name: 'openapi: document',
    of: 'openapi/document, openapi/schema, openapi/operation-tool',
    make: () => ({
      shapes: SHAPES,
      harmless: oneWith({ description: PLAIN_TEXT }),
      isText: false,
      canArrive: ({ paths }) => Object.keys(paths ?? {}).length <= MOST_PATHS,
      run(document) {
        try {
          openApiTools({ name: 'service', document, baseUrl: 'https://example.com' }).tools();
        } catch (error) {
          if (!PtcError.isInstance(error)) throw error;
        }
      },
    }),
  },
];

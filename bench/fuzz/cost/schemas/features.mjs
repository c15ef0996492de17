// JSON Schemas that use one feature each, as authors of tools write them.

import { createRequire } from 'node:module';

const { fullFormats } = createRequire(import.meta.url)('ajv-formats/dist/formats');

const string = { type: 'string' };
const record = (properties) => ({ type: 'object', properties });
const list = (items, more) => record({ list: { type: 'array', items, ...more } });
const matching = (pattern) => record({ text: { type: 'string', pattern } });

const tree = {
  type: 'object',
  properties: { tree: { $ref: '#/$defs/node' } },
  $defs: {
    node: {
      type: 'object',
      properties: { name: string, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['name'],
    },
  },
};

const filter = {
  type: 'object',
  properties: { where: { $ref: '#/$defs/condition' } },
  $defs: {
    condition: {
      anyOf: [
        { type: 'object', properties: { and: { $ref: '#/$defs/conditions' } }, required: ['and'] },
        { type: 'object', properties: { or: { $ref: '#/$defs/conditions' } }, required: ['or'] },
        { type: 'object', properties: { not: { $ref: '#/$defs/condition' } }, required: ['not'] },
        { type: 'object', properties: { field: string, equals: {} }, required: ['field'] },
      ],
    },
    conditions: { type: 'array', items: { $ref: '#/$defs/condition' } },
  },
};

const wide = Array.from({ length: 24 }, (_, index) => ({
  type: 'object',
  properties: { kind: { const: `kind-${index}` }, [`field${index}`]: string },
  required: ['kind', `field${index}`],
}));

const formats = Object.keys(fullFormats).filter((format) => format !== 'regex');

export const FEATURE_SCHEMAS = {
  tuple: record({
    points: {
      type: 'array',
      prefixItems: [{ type: 'number' }, { type: 'number' }],
      items: false,
    },
  }),
  tree,
  'tree of draft-07': {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { tree: { $ref: '#/definitions/node' } },
    definitions: {
      node: { type: 'object', additionalProperties: { $ref: '#/definitions/node' } },
    },
  },
  'nested conditions': filter,
  'wide union': list({ oneOf: wide }),
  'wide union of anything': list({ anyOf: [...wide, string, { type: 'number' }] }),
  'union of lists': record({
    value: {
      anyOf: ['string', 'number', 'boolean', 'object', 'array'].map((type) => ({
        type: 'array',
        items: { type },
      })),
    },
  }),
  'unique strings': list(string, { uniqueItems: true }),
  'unique values': list({}, { uniqueItems: true }),
  'unique objects': list(record({ id: { type: 'integer' } }), { uniqueItems: true }),
  'unique lists of unique values': list(
    { type: 'array', uniqueItems: true, items: { type: 'array', uniqueItems: true } },
    { uniqueItems: true },
  ),
  'unions in unions': list({
    anyOf: ['a', 'b', 'c'].map((outer) => ({
      type: 'object',
      properties: {
        kind: { const: outer },
        inner: {
          oneOf: ['d', 'e', 'f'].map((inner) => ({
            type: 'object',
            properties: {
              kind: { const: inner },
              values: { anyOf: [{ type: 'array', uniqueItems: true }, string] },
            },
            required: ['kind', 'values'],
          })),
        },
      },
      required: ['kind', 'inner'],
    })),
  }),
  'list that contains': list({}, { contains: { type: 'string', minLength: 3 }, minContains: 2 }),
  'enum of many': list({ enum: Array.from({ length: 200 }, (_, index) => `value ${index}`) }),
  'enum of objects': list({ enum: [{ a: 1 }, { b: [1, 2] }, [1, 2, 3], 'a', 1] }),
  'constant object': list({ const: { a: { b: ['c', 'd'] } } }),
  'names by pattern': {
    type: 'object',
    patternProperties: { '^x-': string, '^(\\w+-?)+$': { type: 'number' } },
    additionalProperties: false,
  },
  'checked names': {
    type: 'object',
    propertyNames: { pattern: '^[a-z]+(_[a-z]+)*$', maxLength: 40 },
    additionalProperties: { type: 'number' },
  },
  'nothing else': {
    type: 'object',
    allOf: [record({ a: string }), record({ b: { type: 'array', items: string } })],
    unevaluatedProperties: false,
  },
  'dependent names': {
    type: 'object',
    properties: { card: string, address: string },
    dependentRequired: { card: ['address'] },
    dependentSchemas: { address: { required: ['card'] } },
  },
  'if and else': {
    type: 'object',
    properties: { country: string, code: string },
    if: { properties: { country: { const: 'US' } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { code: { pattern: '^[0-9]{5}(-[0-9]{4})?$' } } },
    else: { properties: { code: { maxLength: 12 } } },
  },
  'numbers in steps': list({ type: 'number', multipleOf: 0.01, minimum: 0, maximum: 1e9 }),
  'nested maps of lists': {
    type: 'object',
    additionalProperties: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'number' } },
    },
  },
  'anything but': list({ not: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
  'pattern with nested repetition': matching('^(a+)+$'),
  'pattern of words': matching('^(\\w+\\s?)*$'),
  'pattern of an address': matching('^([a-zA-Z0-9_.-])+@(([a-zA-Z0-9-])+\\.)+([a-zA-Z0-9]{2,4})+$'),
  'pattern of alternatives': matching('^(a|aa|b|ab)*c$'),
  'pattern of a list': matching('^\\s*(\\d+\\s*,\\s*)*\\d*\\s*$'),
  'pattern of a path': matching('^(/[^/\\0]+)+/?$'),
  'pattern found anywhere': matching('[a-z]+\\d+-x'),
  'pattern that looks back': matching('(?<=a*)b\\1?$'),
  ...Object.fromEntries(
    formats.map((format) => [`format ${format}`, record({ text: { type: 'string', format } })]),
  ),
};

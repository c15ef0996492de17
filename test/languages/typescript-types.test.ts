import { expect, test } from 'vitest';
import { typescript } from '../../src/languages/typescript/typescript.ts';
import { toTool } from '../../src/tools/define-tool.ts';
import { typeErrors } from '../support/type-check.ts';

const $defs = {
  Money: {
    type: 'object',
    properties: { amount: { type: 'number' }, currency: { type: 'string' } },
    required: ['amount'],
  },
  'tree-node': {
    type: 'object',
    description: 'A node.',
    properties: {
      value: { type: 'integer' },
      children: { type: 'array', items: { $ref: '#/$defs/tree-node' } },
    },
    required: ['value'],
  },
  Value: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/Value' } }] },
  Date: { type: 'object', properties: { next: { $ref: '#/$defs/Date' } } },
  'a/b c': { type: 'boolean' },
};

/** The declarations of a tool that takes a value of a schema. */
function declarationsFor(schema: unknown): string {
  const inputSchema = { type: 'object', properties: { x: schema }, required: ['x'], $defs };
  return typescript.documentation([
    toTool({ name: 'tool', description: 'Does it.', inputSchema, run: () => 1 }),
  ]);
}

const types: [unknown, string][] = [
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'number', nullable: true }, 'number | null'],
  [true, 'any'],
  [false, 'never'],
  [{}, 'any'],
  [{ const: null }, 'null'],
  [{ const: { a: [1, 'b'] } }, '{ a: [1, "b"] }'],
  [{ enum: ['a', 1, false, null] }, '"a" | 1 | false | null'],
  // What cannot be seen, or changes how other text is displayed, is shown by its number.
  [{ enum: ['a\u200Bb\u{E0041}\u009B'] }, String.raw`"a\u200bb\u{e0041}\u009b"`],
  [
    { type: 'object', properties: { 'a\u202Eb': { const: 1 } }, required: ['a\u202Eb'] },
    String.raw`{ "a\u202eb": 1 }`,
  ],
  [{ anyOf: [{ const: 'a' }, { type: 'null' }, { const: 'b' }] }, '"a" | "b" | null'],
  [{ type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
  [{ type: 'array' }, 'any[]'],
  [
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    '[string, number]',
  ],
  [
    {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: ['number', 'null'] }],
      minItems: 1,
      items: { type: 'boolean' },
    },
    '[string, (number | null)?, ...boolean[]]',
  ],
  [
    {
      type: 'array',
      prefixItems: [
        {
          anyOf: [
            false,
            {
              type: 'object',
              patternProperties: { '^x-': true },
              anyOf: [{ type: 'object', required: ['id'] }],
            },
          ],
        },
      ],
      minItems: 0,
      items: false,
    },
    '[(Record<string, any> & { id: any })?]',
  ],
  [{ type: 'object' }, 'Record<string, any>'],
  [{ type: 'object', additionalProperties: false }, '{}'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
  [
    { type: 'object', patternProperties: { '^x': { type: 'number' } } },
    '{ [key: string]: number }',
  ],
  [
    {
      type: 'object',
      propertyNames: { enum: ['a', 'b'] },
      additionalProperties: { type: 'number' },
      required: ['a'],
    },
    '{ a: number; b?: number }',
  ],
  [
    { properties: { 'a-b': { type: 'string' }, delete: { type: 'string' } }, required: ['delete'] },
    '{ "a-b"?: string; delete: string }',
  ],
  [
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
    '{ a?: string; [key: string]: any }',
  ],
  [{ $ref: '#/$defs/Money' }, '{ amount: number; currency?: string }'],
  [{ $ref: '#/$defs/tree-node' }, 'TreeNode'],
  [{ allOf: [{ $ref: '#/$defs/tree-node' }], description: 'Such.' }, 'TreeNode'],
  [{ $ref: '#/$defs/Value' }, 'Value'],
  [{ $ref: '#/$defs/Date' }, 'Date2'],
  [{ $ref: '#/$defs/a~1b%20c' }, 'boolean'],
  [
    {
      allOf: [
        { $ref: '#/$defs/Money' },
        { properties: { due: { type: 'string' } }, required: ['due'] },
      ],
    },
    '{ amount: number; currency?: string; due: string }',
  ],
  [
    { allOf: [{ $ref: '#/$defs/tree-node' }, { properties: { due: { type: 'string' } } }] },
    'TreeNode & { due?: string }',
  ],
  [
    {
      type: 'object',
      properties: { id: { type: 'string' } },
      anyOf: [{ properties: { a: { type: 'number' } } }, { properties: { b: { type: 'number' } } }],
    },
    '{ id?: string } & ({ a?: number } | { b?: number })',
  ],
  // A pattern of names says nothing of the names that are known from elsewhere.
  [
    {
      type: 'object',
      properties: { id: { type: 'number' } },
      anyOf: [{ type: 'object', patternProperties: { '^x': { type: 'string' } } }],
    },
    '{ id?: number } & Record<string, any>',
  ],
  [
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    '{ a?: string; b?: string }',
  ],
];

test.for(types)('%j is shown as %s', ([schema, type]) => {
  const text = declarationsFor(schema);
  const input =
    /declare function tool\(input: \{(?:\n {2}\/\*\*.*)?\s+x: (.*?);?\s+\}\): Promise/.exec(text);
  expect(input?.[1]).toBe(type);
  expect(typeErrors(text, '')).toEqual([]);
});

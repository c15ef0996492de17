import { expect, it } from 'vitest';
import { headerFault } from '../../src/mcp/client/tools/parameter-headers.ts';

const named = (name: unknown, type = 'string'): object => ({ type, 'x-mcp-header': name });
const schemaOf = (properties: object): object => ({ type: 'object', properties });

it.each([
  {},
  schemaOf({ a: { type: 'string' }, b: named('Region'), c: named('X-1', 'integer') }),
  schemaOf({ deep: schemaOf({ b: named('Region', 'boolean') }) }),
  // The name of a property, and values.
  schemaOf({ 'x-mcp-header': { type: 'object' } }),
  { default: { 'x-mcp-header': '' }, enum: [{ 'x-mcp-header': '' }] },
])('accepts the schema %j', (schema) => {
  expect(headerFault(schema)).toBeUndefined();
});

it.each([
  [schemaOf({ a: named('') }), 'is not the name of a header'],
  [schemaOf({ a: named('A B') }), 'is not the name of a header'],
  [schemaOf({ a: named('A:B') }), 'is not the name of a header'],
  [schemaOf({ a: named('A\r\nB') }), 'is not the name of a header'],
  [schemaOf({ a: named('Région') }), 'is not the name of a header'],
  [schemaOf({ a: named(1) }), 'is not the name of a header'],
  [schemaOf({ a: named('A', 'number') }), 'is at a property that is not a string'],
  [schemaOf({ a: { 'x-mcp-header': 'A' } }), 'is at a property that is not a string'],
  [schemaOf({ a: named('A'), b: schemaOf({ c: named('a') }) }), 'occurs twice'],
  [named('A'), 'is not at a property'],
  [schemaOf({ a: { type: 'array', items: named('A') } }), 'is not at a property'],
  [{ anyOf: [schemaOf({ a: named('A') })] }, 'is not at a property'],
  [{ $defs: { a: schemaOf({ a: named('A') }) } }, 'is not at a property'],
  [{ additionalProperties: named('A') }, 'is not at a property'],
])('refuses the schema %j', (schema, fault) => {
  expect(headerFault(schema)).toContain(`its x-mcp-header ${fault}`);
});

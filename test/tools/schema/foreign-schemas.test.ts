import { expect, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { defineTool } from '../../../src/tools/define-tool.ts';

/** The message that refuses a definition. */
function refusalOf(definition: object): string {
  try {
    defineTool({ name: 'tool', description: 'A tool.', run: () => null, ...definition });
  } catch (error) {
    expect(error).toMatchObject({ code: 'TOOL_INVALID' });
    return (error as Error).message;
  }
  throw new Error('the definition was accepted');
}

const withType = (type: unknown): object => ({
  inputSchema: { type: 'object', properties: { a: { type } } },
});

it.each([
  ['float', 'Write "number"'],
  ['int', 'Write "integer"'],
  ['str', 'Write "string"'],
  ['STRING', 'Write "string"'],
  ['bool', 'Write "boolean"'],
  ['dict', 'Write "object"'],
  ['tuple', 'Write "array"'],
  ['List[str]', 'Write "array"'],
  ['None', 'Write "null"'],
  ['any', 'Leave "type" out, so that any value is accepted'],
  ['money', 'Write one of string, number, integer, boolean, object, array, null'],
  ['constructor', 'Write one of string, number, integer, boolean, object, array, null'],
])('a type %s of another language is named, with its place and what to write', (type, advice) => {
  expect(refusalOf(withType(type))).toContain(
    `schema.properties.a.type is "${type}", which JSON Schema does not have. ${advice}. `,
  );
});

it('one in a list of types, in a list, or in an output schema is named too', () => {
  expect(refusalOf(withType(['null', 'int']))).toContain(
    'schema.properties.a.type[1] is "int", which JSON Schema does not have. Write "integer".',
  );
  const pairs = { type: 'array', items: { type: 'tuple' } };
  expect(refusalOf({ outputSchema: pairs })).toContain('schema.items.type is "tuple"');
  const draft = { $schema: 'http://json-schema.org/draft-07/schema#' };
  expect(refusalOf({ outputSchema: { ...draft, ...pairs } })).toContain('schema.items.type is');
});

it('the type of all arguments is named if it is not an object', () => {
  expect(refusalOf({ inputSchema: { type: 'dict' } })).toContain('has the type "dict"');
  expect(refusalOf({ inputSchema: { properties: {} } })).toContain('has no type');
});

it.each([
  ['zod 4', { name: z.string(), age: z.number().optional() }],
  ['zod 3', { name: z3.string() }],
])('an object of schemas of %s says that z.object is missing', (_, shape) => {
  for (const option of ['inputSchema', 'outputSchema']) {
    const name = option === 'inputSchema' ? 'input' : 'output';
    expect(refusalOf({ [option]: shape })).toBe(
      `Tool "tool": The ${name} schema is an object of zod schemas. Wrap it: z.object({…}).`,
    );
  }
});

it('another mistake in a schema is shown with its value', () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string', required: true } } };
  expect(refusalOf({ inputSchema })).toContain(
    'schema.properties.a.required must be array, and is true.',
  );
});

it("definitions of models' own formats say what to write", () => {
  const parameters = { type: 'object', properties: {} };
  const inside = { name: 'f', description: 'F.', parameters };
  expect(refusalOf({ name: undefined, type: 'function', function: inside })).toMatch(
    /no "function" around its fields.*parameters as inputSchema, and add run/,
  );
  expect(refusalOf({ type: 'function', parameters })).toContain('Did you mean inputSchema?');
  expect(refusalOf({ input_schema: parameters })).toContain('Did you mean inputSchema?');
  expect(refusalOf({ inputSchema: parameters, run: undefined })).toContain('needs the option run');
});

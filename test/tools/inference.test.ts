import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { expect, test, expectTypeOf } from 'vitest';
import { z } from 'zod';
import * as zMini from 'zod/mini';
import { z as zv3 } from 'zod/v3';
import { z as z3 } from 'zod3';
import type { JsonObject } from '../../src/shared/json/json.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const common = { name: 'tool', description: 'Does it.' };

test('the input type of run comes from a schema of zod 4, zod 4 mini and zod 3', () => {
  defineTool({
    ...common,
    inputSchema: z.object({ id: z.string().transform(Number) }),
    run: (input) => expectTypeOf(input).toEqualTypeOf<{ id: number }>(),
  });
  defineTool({
    ...common,
    inputSchema: zMini.object({ id: zMini.optional(zMini.string()) }),
    run: (input) => expectTypeOf(input).toEqualTypeOf<{ id?: string | undefined }>(),
  });
  defineTool({
    ...common,
    inputSchema: z3.object({ id: z3.string() }),
    run: (input) => expectTypeOf(input).toEqualTypeOf<{ id: string }>(),
  });
  defineTool({
    ...common,
    inputSchema: zv3.object({ id: zv3.string() }),
    run: ({ id }) => expectTypeOf(id).toEqualTypeOf<string>(),
  });
});

test('the input type of run comes from a schema of ArkType and Valibot', () => {
  defineTool({
    ...common,
    inputSchema: type({ id: 'string.numeric.parse', 'day?': 'string' }),
    run: (input) => expectTypeOf(input).toEqualTypeOf<{ id: number; day?: string }>(),
  });
  const order = v.object({ id: v.pipe(v.string(), v.transform(Number)) });
  defineTool({
    ...common,
    inputSchema: toStandardJsonSchema(v.object({ id: v.optional(v.picklist(['a', 'b']), 'a') })),
    run: (input) => expectTypeOf(input).toEqualTypeOf<{ id: 'a' | 'b' }>(),
  });
  // @ts-expect-error it gives no JSON Schema
  const refused = (): unknown => defineTool({ ...common, inputSchema: order, run: () => 1 });
  expect(refused).toThrow(/toStandardJsonSchema/);
});

test('a JSON Schema that zod made is one, also for the compiler', () => {
  const jsonSchema = z.toJSONSchema(z.object({ id: z.string().transform(Number) }), {
    io: 'input',
  });
  const tool = defineTool({
    ...common,
    inputSchema: jsonSchema,
    run: (input) => expectTypeOf(input).toEqualTypeOf<JsonObject>(),
  });
  expect(tool.validateInput({ id: '1' })).toEqual({ valid: true, value: { id: '1' } });
});

test('the input type of run is what its author says it is for a raw JSON Schema', () => {
  const tool = defineTool({
    ...common,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    async run({ id }: { id: string }) {
      await Promise.resolve();
      return id;
    },
  });
  expect(tool.inputSchema).toEqual({
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
  });
  defineTool({
    ...common,
    inputSchema: { type: 'object' },
    run: (input) => expectTypeOf(input).toBeObject(),
  });
  defineTool({ ...common, run: () => 1 });
});

test('a run whose input contradicts its zod schema does not compile', () => {
  const inputSchema = z.object({ id: z.string() });
  const run = (input: { id: number }): object => input;
  // @ts-expect-error id is a string
  const tool = defineTool({ ...common, inputSchema, run });
  expect(tool.name).toBe('tool');
});

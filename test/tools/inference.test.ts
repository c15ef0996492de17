import { expect, test, expectTypeOf } from 'vitest';
import { z } from 'zod';
import * as zMini from 'zod/mini';
import { z as zv3 } from 'zod/v3';
import { z as z3 } from 'zod3';
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
  // @ts-expect-error id is a string
  const tool = defineTool({
    ...common,
    inputSchema: z.object({ id: z.string() }),
    run: (input: { id: number }) => input,
  });
  expect(tool.name).toBe('tool');
});

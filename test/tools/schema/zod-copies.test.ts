import { expect, it } from 'vitest';
import { z } from 'zod/v4';
import * as mini from 'zod/mini';
import { z as older } from 'zod3/v4';
import { toTool } from '../../../src/tools/define-tool.ts';

it.each([
  ['zod', z.object({ name: z.string() })],
  ['zod mini', mini.object({ name: mini.string() })],
  ['an older copy of zod', older.object({ name: older.string() })],
  ['zod, with a part of zod mini', z.object({ name: mini.string() })],
  ['zod mini, with a part of zod', mini.object({ name: z.string() })],
])('a schema of %s becomes the same JSON Schema', (_, inputSchema) => {
  const tool = toTool({ name: 'greet', description: 'Greets.', inputSchema, run: () => 1 });
  expect(tool.inputSchema).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  });
});

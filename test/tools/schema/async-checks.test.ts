import { expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { toTool } from '../../../src/tools/define-tool.ts';
import type { Tool } from '../../../src/tools/tool.ts';

function toolWith(inputSchema: object): Tool {
  return toTool({ name: 'tool', description: 'Does it.', inputSchema, run: () => 1 });
}

const later = async (): Promise<string> => Promise.reject(new Error('no database'));

// Zod would give up the promise of a check, so its rejection would end the process.
test.each([
  ['refine', z.object({ id: z.string().refine(later) })],
  ['transform', z.object({ id: z.string().transform(later) })],
  ['preprocess', z.object({ id: z.preprocess(later, z.string()) })],
  ['transform (zod 3)', z3.object({ id: z3.string().transform(later) })],
])('a schema with an async %s is refused when its tool is defined', (_name, schema) => {
  expect(() => toolWith(schema)).toThrow(
    "A refinement or transform of the tool's input schema is an async function",
  );
});

test('a schema with a codec that encodes asynchronously is used, because values are only decoded', () => {
  const id = z.codec(z.string(), z.string(), { decode: (text) => text, encode: later });
  expect(toolWith(z.object({ id })).validateInput({ id: 'x' })).toMatchObject({ valid: true });
});

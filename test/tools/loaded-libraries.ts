/**
 * Prints the schema libraries that are loaded as CommonJS after an import of `defineTool` and a tool without input, after the
 * first tool with a JSON Schema, and after one with a schema of zod.
 */
import { createRequire } from 'node:module';
import { z } from 'zod/v4';
import { toTool } from '../../src/tools/define-tool.ts';

const { cache } = createRequire(import.meta.url);

function loaded(): string[] {
  const names = Object.keys(cache).map((path) => /node_modules.([@\w-]+)/.exec(path)?.[1] ?? '');
  return [...new Set(names)].filter((name) =>
    /^(ajv|zod|zod-to-json-schema|re2js|@eslint-community)$/.test(name),
  );
}

toTool({ name: 'none', description: 'Has no input.', run: () => 1 });
const afterImport = loaded();
toTool({ name: 'a', description: 'Does it.', inputSchema: { type: 'object' }, run: () => 1 });
const afterTool = loaded();
toTool({
  name: 'b',
  description: 'Does it.',
  inputSchema: z.object({ text: z.string() }),
  run: () => 1,
});
process.stdout.write(JSON.stringify([afterImport, afterTool, loaded()]));

import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { toTool } from '../../src/tools/define-tool.ts';

const { cache } = createRequire(import.meta.url);

function loaded(): string[] {
  const names = Object.keys(cache).map((path) => /node_modules.([@\w-]+)/.exec(path)?.[1] ?? '');
  return [...new Set(names)].filter((name) =>
    /^(ajv|zod|zod-to-json-schema|re2js|@eslint-community)$/.test(name),
  );
}

test('schema libraries are loaded by the first schema that needs them, not by an import', () => {
  expect(loaded()).toEqual([]);
  toTool({ name: 'a', description: 'Does it.', run: () => 1 });
  expect(loaded()).toEqual(['ajv']);
});

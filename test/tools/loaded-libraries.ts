/** Prints the schema libraries that are loaded after an import of `defineTool`, and after the first tool. */
import { createRequire } from 'node:module';
import { toTool } from '../../src/tools/define-tool.ts';

const { cache } = createRequire(import.meta.url);

function loaded(): string[] {
  const names = Object.keys(cache).map((path) => /node_modules.([@\w-]+)/.exec(path)?.[1] ?? '');
  return [...new Set(names)].filter((name) =>
    /^(ajv|zod|zod-to-json-schema|re2js|@eslint-community)$/.test(name),
  );
}

const afterImport = loaded();
toTool({ name: 'a', description: 'Does it.', run: () => 1 });
process.stdout.write(JSON.stringify([afterImport, loaded()]));

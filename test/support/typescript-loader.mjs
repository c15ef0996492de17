// Lets a child process of a test run TypeScript: node --import ./test/support/typescript-loader.mjs
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Loaders live in a thread of their own.
if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  // Only the loader's thread needs it, and it takes long to load.
  const { default: ts } = await import('typescript');
  const { outputText } = ts.transpileModule(await readFile(fileURLToPath(url), 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  return { format: 'module', shortCircuit: true, source: outputText };
}

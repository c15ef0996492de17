// Prints the address of every module that the program loads: node --import ./record-imports.mjs
import { writeSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Hooks live in a thread of their own. They do not see what CommonJS requires; its cache tells that.
if (isMainThread) {
  register(import.meta.url);
  const { cache } = createRequire(import.meta.url);
  process.once('exit', () => writeSync(1, Object.keys(cache).join('\n')));
}

export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context);
  writeSync(1, `${resolved.url}\n`);
  return resolved;
}

// Records the address of every module that the program loads: RECORDED_IMPORTS=FILE node --import ./record-imports.mjs
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { env } from 'node:process';
import { isMainThread } from 'node:worker_threads';

// Hooks live in a thread of their own. They do not see what CommonJS requires; its cache tells that.
if (isMainThread) {
  register(import.meta.url);
  const { cache } = createRequire(import.meta.url);
  process.once('exit', () => record(Object.keys(cache)));
}

export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context);
  record([resolved.url]);
  return resolved;
}

/** To a file: a write to a pipe fails if its reader has not kept up. */
function record(addresses) {
  appendFileSync(env.RECORDED_IMPORTS, addresses.map((address) => `${address}\n`).join(''));
}

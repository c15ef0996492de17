/**
 * The modules that a program in the embedded engine may import: those that only compute. `node:fs` would
 * write to any open file of the process by its number, permissions or not.
 */

// A table that inherits nothing, and names written out: a program may have patched whatever else would find them.
const COMPUTING = {
  __proto__: null,
  assert: () => import('node:assert'),
  'assert/strict': () => import('node:assert/strict'),
  buffer: () => import('node:buffer'),
  crypto: importCrypto,
  events: () => import('node:events'),
  path: () => import('node:path'),
  'path/posix': () => import('node:path/posix'),
  querystring: () => import('node:querystring'),
  string_decoder: () => import('node:string_decoder'),
  'timers/promises': () => import('node:timers/promises'),
  url: () => import('node:url'),
  util: () => import('node:util'),
};
const NAMES = Object.keys(COMPUTING);
const LIST = NAMES.join(', ');
for (const name of NAMES) COMPUTING[`node:${name}`] = COMPUTING[name];

/** The callback by which a script imports. @param {string} specifier */
export async function importForProgram(specifier) {
  const load = COMPUTING[specifier];
  if (load === undefined) {
    throw new Error(
      `Cannot find module '${specifier}': the embedded engine has no files and no packages, only ${LIST}`,
    );
  }
  return load();
}

/** While it is loaded it asks Deno what that is built for, and programs have no Deno. */
async function importCrypto() {
  globalThis.Deno ??= {};
  try {
    return await import('node:crypto');
  } finally {
    delete globalThis.Deno;
  }
}

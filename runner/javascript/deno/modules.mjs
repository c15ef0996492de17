/**
 * The modules that a program in the embedded engine may import: those that only compute. `node:fs` would
 * write to any open file of the process by its number, permissions or not.
 */

const COMPUTING = [
  'assert',
  'assert/strict',
  'buffer',
  'crypto',
  'events',
  'path',
  'path/posix',
  'querystring',
  'string_decoder',
  'timers/promises',
  'url',
  'util',
];

/** The callback by which a script imports. @param {string} specifier */
export async function importForProgram(specifier) {
  const name = specifier.replace(/^node:/, '');
  if (!COMPUTING.includes(name)) {
    throw new Error(
      `Cannot find module '${specifier}': the embedded engine has no files and no packages, only ${COMPUTING.join(', ')}`,
    );
  }
  return name === 'crypto' ? importCrypto() : import(`node:${name}`);
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

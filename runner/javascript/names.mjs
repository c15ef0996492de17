/** Names that programs find without an import, as scripts do that Node gets by `--eval`. */

import { provideImportMeta } from './import-meta.mjs';

/**
 * Makes those names, each module to be loaded when it is first used.
 * @param {object} file - The program as if it were in a file, and what that would have.
 * @param {string} file.filename
 * @param {string} file.dirname
 * @param {string} file.url
 * @param {(specifier: string) => string} file.resolve
 * @param {object} file.module
 * @param {(name: string) => object} file.require
 * @param {readonly string[]} modules
 */
export function provideNames({ filename, dirname, url, resolve, module, require }, modules) {
  require.main = module;
  const { exports } = module;
  const names = { require, module, exports, __filename: filename, __dirname: dirname };
  for (const [name, value] of Object.entries(names)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
  provideImportMeta({ dirname, filename, resolve, url });
  for (const name of modules) {
    if (!/^_|\//.test(name) && !(name in globalThis)) define(name, () => require(name));
  }
}

/** Until a program gives the name to something of its own. */
function define(name, get) {
  const set = (value) => {
    Object.defineProperty(globalThis, name, {
      __proto__: null,
      value,
      enumerable: true,
      writable: true,
    });
  };
  Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
}

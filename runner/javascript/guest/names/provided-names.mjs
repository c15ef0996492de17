/** Names that programs find without an import, as in scripts that Node runs by `--eval`. */

import { provideImportMeta } from '../../compile/import-meta.mjs';

/**
 * Defines these names. Each module is loaded when its name is first used.
 * @param {object} file - The names of a file, as if the program were in one.
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

/** Defines a name until a program assigns another value to it. */
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

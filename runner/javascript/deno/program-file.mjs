/** The file of a program in the embedded sandbox, as if it were in one. */

import { Modules } from './modules.mjs';
import { provideNames } from '../guest/names/provided-names.mjs';

const FILENAME = '/program.js';
const DIRECTORY = '/';
const MODULE_FILE = /^(?:\.{0,2}\/|[a-z][a-z\d+.-]*:)/i;

/**
 * Defines the names of a file, and returns the modules that it can load.
 * @param {import('./program-process.mjs').ProgramProcess} process
 */
export function provideProgramFile({ object: process }) {
  const url = `file://${FILENAME}`;
  const moduleOfModules = {
    builtinModules: [],
    createRequire: () => require,
    isBuiltin: (specifier) => modules.isBuiltin(specifier),
  };
  const modules = new Modules({ module: moduleOfModules, process });
  moduleOfModules.builtinModules = modules.names;
  const require = (specifier) => modules.load(specifier);
  require.resolve = (specifier) => {
    modules.load(specifier);
    return specifier;
  };
  require.cache = { __proto__: null };
  const resolve = (specifier) => {
    const text = String(specifier);
    if (modules.isBuiltin(text)) return text.startsWith('node:') ? text : `node:${text}`;
    if (MODULE_FILE.test(text)) return new URL(text, url).href;
    return require.resolve(text);
  };
  const module = {
    id: '.',
    path: DIRECTORY,
    exports: {},
    filename: FILENAME,
    loaded: false,
    children: [],
    paths: [],
    require,
  };
  process.argv[1] = FILENAME;
  const file = { filename: FILENAME, dirname: DIRECTORY, url, module, require, resolve };
  provideNames(file, modules.names);
  return modules;
}

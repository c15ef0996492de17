/** Names that programs find without an import, as scripts do that Node gets by `--eval`. */

import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { provideImportMeta } from '../import-meta.mjs';

/** Makes those names that Node itself has not made, each module to be loaded when it is first used. */
export function provideNames() {
  const dirname = process.cwd();
  // No such file is there: it is what would be if the program were in one.
  const filename = join(dirname, 'program.js');
  const require = module.createRequire(filename);
  const main = Object.assign(new module.Module(filename), {
    id: '.',
    filename,
    paths: require.resolve.paths('module'),
  });
  require.main = main;
  const { exports } = main;
  const names = { require, module: main, exports, __filename: filename, __dirname: dirname };
  for (const [name, value] of Object.entries(names)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
  process.argv[1] = filename;
  provideImportMeta({
    dirname,
    filename,
    resolve: resolveFrom(filename, require),
    url: urlOf(filename),
  });
  // Of the module at this moment: in a snapshot it has no list yet.
  for (const name of module.builtinModules) {
    if (!/^_|\//.test(name) && !(name in globalThis)) define(name, () => require(name));
  }
}

function urlOf(filename) {
  return pathToFileURL(filename).href;
}

/** What `import.meta.resolve` is: the address of a module, whether it is there or not. */
function resolveFrom(filename, { resolve }) {
  const url = urlOf(filename);
  return (specifier) => {
    const text = String(specifier);
    if (module.isBuiltin(text)) return text.startsWith('node:') ? text : `node:${text}`;
    if (/^(?:\.{0,2}\/|[a-z][a-z\d+.-]*:)/i.test(text)) return new URL(text, url).href;
    return urlOf(resolve(text));
  };
}

/** Until a program gives the name to something of its own. */
function define(name, get) {
  const set = (value) => {
    const enumerable = true;
    Object.defineProperty(globalThis, name, { value, enumerable, writable: true });
  };
  Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
}

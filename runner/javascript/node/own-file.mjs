/** The file of a program, as if it were in one. */

import module from 'node:module';
import path from 'node:path';
import urls from 'node:url';
import { provideNames } from '../guest/names/provided-names.mjs';

const { pathToFileURL } = urls;

/** Defines the names of a file that Node itself has not defined. */
export function provideOwnFile() {
  const dirname = process.cwd();
  // This file does not exist; the names are as if the program were in it.
  const filename = path.join(dirname, 'program.js');
  const require = module.createRequire(filename);
  const own = Object.assign(new module.Module(filename), {
    id: '.',
    filename,
    paths: require.resolve.paths('module'),
  });
  process.argv[1] = filename;
  const file = { filename, dirname, url: urlOf(filename), module: own, require };
  // Read now, because a snapshot does not contain the list yet.
  provideNames({ ...file, resolve: resolveFrom(file) }, module.builtinModules);
}

function urlOf(filename) {
  return pathToFileURL(filename).href;
}

/** `import.meta.resolve`: returns the URL of a module, even if the module does not exist. */
function resolveFrom({ url, require: { resolve } }) {
  return (specifier) => {
    const text = String(specifier);
    if (module.isBuiltin(text)) return text.startsWith('node:') ? text : `node:${text}`;
    if (/^(?:\.{0,2}\/|[a-z][a-z\d+.-]*:)/i.test(text)) return new URL(text, url).href;
    return urlOf(resolve(text));
  };
}

/** The file that a program of Node is, as if it were in one. */

import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { provideNames } from '../names.mjs';

/** Makes those names of scripts that Node itself has not made. */
export function provideOwnFile() {
  const dirname = process.cwd();
  // No such file is there: it is what would be if the program were in one.
  const filename = join(dirname, 'program.js');
  const require = module.createRequire(filename);
  const own = Object.assign(new module.Module(filename), {
    id: '.',
    filename,
    paths: require.resolve.paths('module'),
  });
  process.argv[1] = filename;
  const file = { filename, dirname, url: urlOf(filename), module: own, require };
  // Of the module at this moment: in a snapshot it has no list yet.
  provideNames({ ...file, resolve: resolveFrom(file) }, module.builtinModules);
}

function urlOf(filename) {
  return pathToFileURL(filename).href;
}

/** What `import.meta.resolve` is: the address of a module, whether it is there or not. */
function resolveFrom({ url, require: { resolve } }) {
  return (specifier) => {
    const text = String(specifier);
    if (module.isBuiltin(text)) return text.startsWith('node:') ? text : `node:${text}`;
    if (/^(?:\.{0,2}\/|[a-z][a-z\d+.-]*:)/i.test(text)) return new URL(text, url).href;
    return urlOf(resolve(text));
  };
}

/** Names that programs find without an import, as scripts do that Node gets by `--eval`. */

import module from 'node:module';

/** Makes those names that Node itself has not made, each module to be loaded when it is first used. */
export function provideNames() {
  globalThis.require = module.createRequire(`${process.cwd()}/program.js`);
  const { require } = globalThis;
  const texts = { exports: {}, __filename: '[eval]', __dirname: '.' };
  for (const [name, value] of Object.entries(texts)) {
    if (!(name in globalThis)) globalThis[name] = value;
  }
  // Of the module at this moment: in a snapshot it has no list yet.
  for (const name of module.builtinModules) {
    if (!/^_|\//.test(name) && !(name in globalThis)) define(name, () => require(name));
  }
}

/** Until a program gives the name to something of its own. */
function define(name, get) {
  const set = (value) => {
    const enumerable = true;
    Object.defineProperty(globalThis, name, { value, enumerable, writable: true });
  };
  Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
}

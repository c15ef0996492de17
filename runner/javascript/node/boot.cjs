// Makes the runner's modules of what stands on the command line, compressed, and starts the guest.
// Node gets this file by `--eval`: nothing needs to be in the image, or to be written anywhere.
'use strict';

// A block: the names of a script are those of every script after it, and programs have their own.
{
  const path = require('node:path').posix;
  const { Buffer } = require('node:buffer');
  const vm = require('node:vm');
  const { inflateSync } = require('node:zlib');

  const bundle = process.argv.splice(1).join('');
  const sources = JSON.parse(inflateSync(Buffer.from(bundle, 'base64')).toString('utf8'));
  const modules = new Map();

  const load = (specifier, referrer) => {
    const isRelative = specifier.startsWith('.');
    const name = isRelative ? path.join(path.dirname(referrer), specifier) : specifier;
    const known = modules.get(name);
    if (known !== undefined) return known;
    const module = name in sources ? sourceModule(name) : builtinModule(name);
    modules.set(name, module);
    return module;
  };

  const sourceModule = (name) =>
    new vm.SourceTextModule(sources[name], { identifier: `runner:${name}` });

  const builtinModule = (name) => {
    const exported = require(name);
    const names = [...new Set(['default', ...Object.keys(exported)])];
    return new vm.SyntheticModule(names, function () {
      for (const key of names) this.setExport(key, key === 'default' ? exported : exported[key]);
    });
  };

  const start = async (module) => {
    await module.link((specifier, referrer) =>
      load(specifier, referrer.identifier.slice('runner:'.length)),
    );
    await module.evaluate();
  };

  void start(load('node/main.mjs', ''));
}

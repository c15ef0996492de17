// Makes the runner's modules of what stands on the command line, compressed, and starts the guest.
// Node gets this file by `--eval`: nothing needs to be in the image, or to be written anywhere.
'use strict';

// A block: the names of a script are those of every script after it, and programs have their own.
{
  // In a block, so that no name here is in the way of a program's.
  {
    const path = require('node:path').posix;
    const { Buffer } = require('node:buffer');
    const vm = require('node:vm');
    const { inflateSync } = require('node:zlib');

    const bundle = process.argv.splice(1).join('');
    const sources = JSON.parse(inflateSync(Buffer.from(bundle, 'base64')).toString('utf8'));
    const modules = new Map();

    function load(specifier, referrer) {
      const isRelative = specifier.startsWith('.');
      const name = isRelative ? path.join(path.dirname(referrer), specifier) : specifier;
      const known = modules.get(name);
      if (known !== undefined) return known;
      const module = name in sources ? sourceModule(name) : builtinModule(name);
      modules.set(name, module);
      return module;
    }

    function sourceModule(name) {
      return new vm.SourceTextModule(sources[name], {
        identifier: `runner:${name}`,
        importModuleDynamically: async (specifier) => {
          forgetUnfinished();
          return run(load(specifier, name));
        },
      });
    }

    /** Has modules be made anew that a program's interrupt kept from their end: they would never come to it. */
    function forgetUnfinished() {
      for (const [name, { status }] of modules) {
        if (status !== 'evaluated') modules.delete(name);
      }
    }

    function builtinModule(name) {
      const exported = require(name);
      const names = [...new Set(['default', ...Object.keys(exported)])];
      return new vm.SyntheticModule(names, function () {
        for (const key of names) this.setExport(key, key === 'default' ? exported : exported[key]);
      });
    }

    async function run(module) {
      if (module.status === 'unlinked') {
        await module.link((specifier, referrer) =>
          load(specifier, referrer.identifier.slice('runner:'.length)),
        );
      }
      await module.evaluate();
      return module.namespace;
    }

    void run(load('node/main.mjs', ''));
  }
}

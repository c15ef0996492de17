// Starts the guest of what stands on the command line, compressed. Node gets this file by `--eval`: nothing
// needs to be in the image, or to be written anywhere.
'use strict';

// A block: the names of a script are those of every script after it, and programs have their own.
{
  const { Buffer } = require('node:buffer');
  const vm = require('node:vm');
  const { inflateSync } = require('node:zlib');

  const compressed = Buffer.from(process.argv.splice(1).join(''), 'base64');
  const script = inflateSync(compressed).toString('utf8');
  vm.runInThisContext(`((require) => {${script}})`, { filename: 'runner:guest' })(require);
}

// Starts the guest from the compressed script on the command line. Node gets this file by `--eval`,
// so an image needs no file of it, and nothing has to be written.
'use strict';

// In a block, because the top-level names of a script are visible in every later script, and
// programs have their own names.
{
  const { Buffer } = require('node:buffer');
  const vm = require('node:vm');
  const { inflateSync } = require('node:zlib');

  const compressed = Buffer.from(process.argv.splice(1).join(''), 'base64');
  const script = inflateSync(compressed).toString('utf8');
  vm.runInThisContext(`((require) => {${script}})`, { filename: 'runner:guest' })(require);
}

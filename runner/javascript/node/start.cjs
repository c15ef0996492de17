// Starts the guest, or prepares it for a snapshot (`snapshot.cjs`).
'use strict';

const main = () => {
  // The path of this script, if it was started by a path.
  process.argv.splice(1);
  return require('./main.mjs');
};

/** Loads everything that is the same in each process. The rest is loaded when the guest starts. */
const prepare = () => [
  require('node:module'),
  require('node:net'),
  require('node:util'),
  require('node:vm'),
  require('../guest/guest.mjs'),
  require('../guest/other-waits.mjs'),
  require('../guest/timers.mjs'),
  require('./own-file.mjs'),
  require('./streams.mjs'),
  require('../compile/program.mjs'),
];

if (process.execArgv.includes('--build-snapshot')) {
  prepare();
  require('node:v8').startupSnapshot.setDeserializeMainFunction(main);
} else {
  main();
}

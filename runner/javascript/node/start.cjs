// The end of the guest's script, in which `factories` has the modules. It starts the guest, or
// prepares it for a snapshot (`snapshot.cjs`).

const loaded = new Map();

const load = (name) => {
  if (!(name in factories)) return require(name);
  if (!loaded.has(name)) loaded.set(name, factories[name](load));
  return loaded.get(name);
};

const main = () => {
  // The path of this script, if it was started by a path.
  process.argv.splice(1);
  load('node/main.mjs');
};

if (process.execArgv.includes('--build-snapshot')) {
  // Everything that is the same in each process. The rest is loaded when the guest starts.
  for (const name of ['node:module', 'node:net', 'node:util', 'node:vm']) require(name);
  load('guest/guest.mjs');
  load('guest/timers.mjs');
  load('node/own-file.mjs');
  load('node/streams.mjs');
  load('compile/program.mjs');
  require('node:v8').startupSnapshot.setDeserializeMainFunction(main);
} else {
  main();
}

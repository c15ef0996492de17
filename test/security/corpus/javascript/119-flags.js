const v8 = require('node:v8');

console.log(process.permission.has('fs.write', '/etc'), process.permission.has('child'));
Object.defineProperty(process.permission, 'has', { value: () => true });
await attempt({
  exec: () => require('node:child_process').execSync('id'),
  etc: () => require('node:fs').writeFileSync('/etc/x', 'x') ?? 'written',
  // Internals of the engine, by which memory could be looked at and written.
  natives: () => {
    v8.setFlagsFromString('--allow-natives-syntax');
    return new Function('return %GetOptimizationStatus')();
  },
});

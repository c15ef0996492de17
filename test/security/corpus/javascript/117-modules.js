const source = 'export { writeSync } from "node:fs"';
const names = [
  'fs',
  'child_process',
  'worker_threads',
  'net',
  'vm',
  'inspector',
  'os',
];
const specifiers = [
  ...names.flatMap((name) => [name, `node:${name}`]),
  `data:text/javascript,${encodeURIComponent(source)}`,
  URL.createObjectURL(new Blob([source], { type: 'text/javascript' })),
  'file:///etc/passwd',
  'https://example.com/module.js',
  'npm:left-pad',
  'jsr:@std/fs',
  'ext:core/mod.js',
  'ext:deno_node/fs.ts',
  './main.mjs',
  { toString: () => 'node:fs' },
];
await attempt({
  ...Object.fromEntries(specifiers.map((name) => [String(name), () => import(name)])),
  require: () => require('fs'),
  builtin: () => process.getBuiltinModule('fs'),
  binding: () => process.binding('fs'),
  createRequire: async () => (await import('node:module')).createRequire('/')('fs'),
  resolve: () => require.resolve('fs'),
  requireOfModule: () => module.require('node:fs'),
  requireThis: () => require.call(globalThis, 'node:worker_threads'),
  requireTwoFaced: () => require({ toString: () => 'node:fs' }),
  realProcess: async () => (await import('node:process')).default.binding('fs'),
  realModule: async () => (await import('node:module')).default._load('fs'),
  // The specifier is one thing when it is looked at, and another one afterwards.
  twoFaced: () => {
    let looks = 0;
    return import({ toString: () => ((looks += 1) === 1 ? 'node:util' : 'node:fs') }).then(
      ({ writeSync }) => writeSync,
    );
  },
  patchedList: () => importWith(Array.prototype, 'includes', () => true),
  patchedIndex: () => importWith(Array.prototype, 'indexOf', () => 0),
  patchedName: () => importWith(String.prototype, 'replace', () => 'util'),
  patchedSet: () => importWith(Set.prototype, 'has', () => true),
  patchedMap: () => importWith(Map.prototype, 'get', () => () => import('node:fs')),
  patchedTable: () => importWith(Object.prototype, 'node:fs', () => import('node:fs')),
});

/** With a part of the language patched while the runner looks the module up. */
async function importWith(owner, name, patch) {
  const original = owner[name];
  owner[name] = patch;
  const imported = import('node:fs');
  if (original === undefined) delete owner[name];
  else owner[name] = original;
  return (await imported).writeSync;
}

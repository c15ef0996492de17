const child = require('node:child_process');
const { Worker } = require('node:worker_threads');

await attempt({
  spawn: () =>
    new Promise((resolve, reject) =>
      child
        .spawn('/bin/true')
        .on('spawn', () => resolve(1))
        .on('error', reject),
    ),
  spawnSync: () => child.spawnSync('/bin/true').status ?? undefined,
  exec: () => child.execSync('id'),
  execFile: () => child.execFileSync('/usr/bin/env'),
  fork: () => child.fork('/tmp/x.js').pid,
  worker: () => new Worker('1', { eval: true }).threadId,
  cluster: () => require('node:cluster').fork().id,
  inspectorOpen: () => require('node:inspector').open(0) ?? 'open',
  inspectorUrl: () => require('node:inspector').url(),
  inspectorSession: () => new (require('node:inspector').Session)().connect() ?? 'connected',
  wasi: () =>
    new (require('node:wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } }).wasiImport !==
      undefined && 'wasi',
  dlopen: () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6') ?? 'loaded',
  addon: () => require('/tmp/addon.node'),
  spawnBinding: () =>
    process.binding('spawn_sync').spawn({ file: '/bin/true', args: ['true'], stdio: [] })?.pid,
  processBinding: () =>
    new (process.binding('process_wrap').Process)().spawn({
      file: '/bin/true',
      args: ['true'],
      stdio: [],
    }) === 0 || undefined,
  internal: () => process.internalBinding,
  linked: () => process._linkedBinding('process_wrap'),
  mainModule: () => process.mainModule?.require('child_process').execSync('id'),
});

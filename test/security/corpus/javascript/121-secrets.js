const { readFileSync, readlinkSync, readdirSync, openSync } = require('node:fs');

await attempt({
  shadow: () => readFileSync('/etc/shadow'),
  environ: () => readFileSync('/proc/1/environ', 'utf8') || undefined,
  maps: () => readFileSync('/proc/1/maps', 'utf8') || undefined,
  memory: () => openSync('/proc/1/mem', 'r+'),
  input: () => openSync('/proc/1/fd/0', 'r'),
  output: () => openSync('/proc/1/fd/1', 'w'),
  descriptors: () => readdirSync('/proc/1/fd'),
  directory: () => readlinkSync('/proc/1/cwd'),
  root: () => readdirSync('/root'),
  machine: () => openSync('/dev/mem', 'r'),
  kernel: () => openSync('/proc/kcore', 'r'),
  socket: () => readFileSync('/var/run/docker.sock'),
});
console.log(readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length < 5);

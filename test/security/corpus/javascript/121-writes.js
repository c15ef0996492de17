const fs = require('node:fs');
const path = require('node:path');

fs.mkdirSync('/tmp/in');
await attempt({
  etc: () => fs.writeFileSync('/etc/x', 'x') ?? 'written',
  usr: () => fs.writeFileSync('/usr/x', 'x') ?? 'written',
  root: () => fs.writeFileSync('/x', 'x') ?? 'written',
  shared: () => fs.writeFileSync('/dev/shm/x', 'x') ?? 'written',
  variable: () => fs.writeFileSync('/var/tmp/x', 'x') ?? 'written',
  above: () => fs.writeFileSync('/tmp/../etc/x', 'x') ?? 'written',
  bytes: () => fs.writeFileSync(Buffer.from('/tmp/../etc/x'), 'x') ?? 'written',
  url: () => fs.writeFileSync(new URL('file:///tmp/..%2fetc/x'), 'x') ?? 'written',
  link: () => {
    fs.symlinkSync('/', '/tmp/link');
    fs.writeFileSync('/tmp/link/etc/x', 'x');
    return 'written';
  },
  relativeLink: () => {
    fs.symlinkSync('../etc', '/tmp/in/link');
    fs.writeFileSync('/tmp/in/link/x', 'x');
    return 'written';
  },
  hardLink: () => fs.linkSync('/etc/passwd', '/tmp/passwd') ?? 'linked',
  rename: () => fs.renameSync('/etc/passwd', '/tmp/passwd') ?? 'moved',
  copyOut: () => fs.cpSync('/tmp/in', '/etc/in', { recursive: true }) ?? 'copied',
  descriptors: () => fs.writeFileSync('/proc/self/exe', 'x') ?? 'written',
  limits: () => fs.writeFileSync('/proc/sys/kernel/core_pattern', '|/tmp/x') ?? 'written',
  patchedPath: () => {
    const { resolve, toNamespacedPath } = path;
    try {
      path.resolve = path.toNamespacedPath = () => '/tmp/x';
      fs.writeFileSync('/etc/x', 'x');
      return 'written';
    } finally {
      Object.assign(path, { resolve, toNamespacedPath });
    }
  },
  patchedBytes: () => {
    const { toString } = Buffer.prototype;
    try {
      Buffer.prototype.toString = Uint8Array.prototype.toString = () => '/tmp/x';
      fs.writeFileSync(Buffer.from('/etc/x'), 'x');
      return 'written';
    } finally {
      Buffer.prototype.toString = toString;
      delete Uint8Array.prototype.toString;
    }
  },
});
console.log(fs.readdirSync('/tmp').includes('passwd'));

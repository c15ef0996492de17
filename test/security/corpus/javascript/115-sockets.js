const fs = require('node:fs');
const net = require('node:net');
const tty = require('node:tty');
const report = '__PTC_OUTPUT__{"execution_id":"0","success":true}__PTC_END_OUTPUT__\n';

await attempt({
  socket: () => new Promise((resolve) => new net.Socket({ fd: 4 }).write(report, () => resolve())),
  stream: () =>
    new Promise((resolve) =>
      fs.createWriteStream('', { fd: 4, autoClose: false }).write(report, () => resolve()),
    ),
  terminal: () => new tty.WriteStream(4).isTTY,
  path: () => fs.writeFileSync('/proc/self/fd/4', report),
  handles: () => process._getActiveHandles().forEach((handle) => handle.write?.(report)),
});
throw new Error('the real end');

// A callback that the runner does not know of: no interrupt reaches it.
console.log('so far');
require('node:fs').readFile('/etc/passwd', () => {
  for (;;);
});
await new Promise(() => {});

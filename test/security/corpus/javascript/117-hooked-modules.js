hookAll();
const names = `assert assert/strict async_hooks buffer crypto diagnostics_channel events module path path/posix path/win32
  perf_hooks process punycode querystring readline readline/promises stream stream/consumers stream/promises stream/web
  string_decoder timers timers/promises url util util/types zlib`;
let loaded = 0;
for (const name of names.split(/\s+/)) loaded += Object.keys(await import(name)).length > 1 && Object.keys(require(name)).length > 0;
console.log(loaded);
const { createHash, randomUUID } = await import('crypto');
console.log(createHash('sha256').update('x').digest('hex').length, randomUUID().length);

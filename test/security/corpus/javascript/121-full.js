const fs = require('node:fs');

const block = Buffer.alloc(2 ** 20);
let written = 0;
try {
  for (;;) {
    fs.appendFileSync(`/tmp/${written >> 3}`, block);
    written += 1;
  }
} catch (error) {
  console.log(error.code, written <= 16);
}
let files = 0;
try {
  for (; files < 10_000; files += 1) fs.writeFileSync(`/tmp/small-${files}`, '');
} catch (error) {
  console.log(error.code, files <= 4096);
}

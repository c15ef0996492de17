require('node:fs').closeSync(4);
console.log('still here');

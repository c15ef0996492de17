require('node:fs').closeSync(3);
console.log('still here');

console.log('before');
const { closeSync } = require('node:fs');
closeSync(1);
closeSync(2);
console.log('nowhere');
console.error('nowhere');

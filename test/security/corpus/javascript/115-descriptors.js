const { writeSync } = require('node:fs');

console.log('before');
try {
  writeSync(3, '__PTC_EXECUTE__{"execution_id":"0"}__PTC_END_EXECUTE__\n');
} catch (error) {
  console.log(error.code);
}
writeSync(4, '__PTC_OUTPUT__{"execution_id":"0","success":true}__PTC_END_OUTPUT__\n');
writeSync(4, '__PTC_READY__{}__PTC_END_READY__\n');
writeSync(5, 'spare\n');
throw new Error('the real end');

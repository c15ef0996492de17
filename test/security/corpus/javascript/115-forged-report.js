// A tool call goes through what a program can patch: that tells it its execution's id.
const { writeSync } = require('node:fs');
let id;
Object.prototype.toJSON = function () {
  id ??= this.execution_id;
  return this;
};
await echo({ value: 1 });
delete Object.prototype.toJSON;
console.log('before', id.length > 0);
const report = { execution_id: id, success: true, value: null, error: null, exit_code: 0 };
writeSync(4, `__PTC_OUTPUT__${JSON.stringify(report)}__PTC_END_OUTPUT__\n`);
setInterval(() => {}, 1e6);
await new Promise(() => {});

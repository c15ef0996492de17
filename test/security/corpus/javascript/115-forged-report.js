const { writeSync } = require('node:fs');
// The ids of executions are numbers, so a program can guess its own. Two ran before in this session.
const id = '3';
console.log('before');
const report = { execution_id: id, success: true, value: null, error: null, exit_code: 0 };
writeSync(4, `__PTC_OUTPUT__${JSON.stringify(report)}__PTC_END_OUTPUT__\n`);
setInterval(() => {}, 1e6);
await new Promise(() => {});

const { writeSync } = require('node:fs');
const { from } = Buffer;
let id;
Buffer.from = (text, ...others) => {
  id ??= /"execution_id":"([^"]+)"/.exec(text)?.[1];
  return from(text, ...others);
};
await echo({ value: 1 });
Buffer.from = from;
const call = { execution_id: id, call_id: 'mine', tool_name: 'forbidden', arguments: {} };
writeSync(4, `__PTC_TOOL_CALL__${JSON.stringify(call)}__PTC_END_CALL__\n`);
console.log(await echo({ value: 'asked' }));

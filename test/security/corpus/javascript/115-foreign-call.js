const { writeSync } = require('node:fs');

const call = { execution_id: 'another', call_id: '1', tool_name: 'forbidden', arguments: {} };
writeSync(4, `__PTC_TOOL_CALL__${JSON.stringify(call)}__PTC_END_CALL__\n`);
console.log(await echo({ value: 'asked' }));

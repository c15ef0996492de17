const { writeSync } = require('node:fs');
// The ids of executions are numbers, so a program can guess its own. Two ran before in this session.
const id = '3';
const send = (call) => {
  const line = Buffer.from(`__PTC_TOOL_CALL__${JSON.stringify({ execution_id: id, ...call })}__PTC_END_CALL__\n`);
  for (let sent = 0; sent < line.length; ) {
    try {
      sent += writeSync(4, line, sent);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
send({ call_id: 'i'.repeat(1_000_000), tool_name: 'echo', arguments: { value: 1 } });
send({ call_id: 'b', tool_name: '\u001b[2J\u009b'.repeat(50_000), arguments: {} });
send({ call_id: 'c', tool_name: 'nullable_list', arguments: { ids: Array.from({ length: 19_000 }, () => 1) } });
console.log('sent');
console.log(await echo({ value: 'after' }));

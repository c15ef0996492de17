// The result of its own call, read past the runner. Nobody but this program misses it.
const { readSync } = require('node:fs');
const bytes = Buffer.alloc(1000);

const call = echo({ value: 'mine' });
for (;;) {
  try {
    const line = bytes.toString('utf8', 0, readSync(3, bytes));
    console.log(line.startsWith('__PTC_TOOL_RESULT__'), line.includes('mine'));
    break;
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
  }
}
// It would wait for the call.
process.exit(0);

// A host of a persistent session, until somebody kills it.

import { SandboxExecutor } from '../../dist/index.js';
import { LIMITS, soakTools } from './scenarios.mjs';

const [key, kept] = process.argv.slice(2);
const executor = new SandboxExecutor({ sandbox: 'docker', tools: soakTools(), limits: LIMITS });
const handle = await executor.acquire(key, { persistent: true });
await handle.execute(`kept = ${kept}`);
process.send('ready');
for (;;) {
  await handle.execute('for number in range(20): await add(a=number, b=1)');
  await handle.execute('import time\ntime.sleep(0.05)');
}

// A host that uses sandboxes until somebody kills it.

import { SandboxExecutor } from '../../dist/index.js';
import { LIMITS, soakTools } from './scenarios.mjs';

const [provider] = process.argv.slice(2);
const executor = new SandboxExecutor({ sandbox: provider, tools: soakTools(), limits: LIMITS });

/** A session that is opened, used and closed, and a program that is busy when the end comes. */
async function use() {
  for (;;) {
    const { sessionId } = await executor.execute('total = 0', { reuseSession: true });
    for (let run = 0; run < 10; run += 1) {
      const result = await executor.execute('total = await add(a=total, b=1)\nprint(total)', {
        sessionId,
      });
      if (result.stdout !== `${run + 1}\n`) throw new Error(`Run ${run} printed ${result.stdout}`);
    }
    await executor.execute('while True: pass', { sessionId, timeoutMs: 200 });
    await executor.closeSession(sessionId);
  }
}

await Promise.all([use(), use()]);

// A host that uses sandboxes until somebody kills it.

import { SandboxExecutor } from '../../dist/index.js';
import { PROGRAMS } from './programs.mjs';
import { LIMITS, soakTools } from './scenarios.mjs';

const [provider, language] = process.argv.slice(2);
const { zero, count, endless } = PROGRAMS[language];
const executor = new SandboxExecutor({
  sandbox: provider,
  tools: soakTools(),
  limits: LIMITS,
  languages: [language],
});

/** A session that is opened, used and closed, and a program that is busy when the end comes. */
async function use() {
  for (;;) {
    const { sessionId } = await executor.execute(zero, { reuseSession: true });
    for (let run = 0; run < 10; run += 1) {
      const result = await executor.execute(count, { sessionId });
      if (result.stdout !== `${run + 1}\n`) throw new Error(`Run ${run} printed ${result.stdout}`);
    }
    await executor.execute(endless[0], { sessionId, timeoutMs: 200 });
    await executor.closeSession(sessionId);
  }
}

await Promise.all([use(), use()]);

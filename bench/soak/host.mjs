// A host that uses sandboxes until it is killed.

import { SandboxExecutor } from '../../dist/index.js';
import { PROGRAMS } from './programs.mjs';
import { LIMITS, soakTools } from './scenarios.mjs';

const [provider, language] = process.argv.slice(2);
const { zero, count, endless } = PROGRAMS[language];
const executor = new SandboxExecutor({
  provider,
  tools: soakTools(),
  limits: LIMITS,
  languages: [language],
});

/** Opens, uses and closes a session, and runs a program that is busy when the host is killed. */
async function use() {
  for (;;) {
    const session = await executor.acquire();
    await session.execute(zero);
    for (let run = 0; run < 10; run += 1) {
      const result = await session.execute(count);
      if (result.stdout !== `${run + 1}\n`) throw new Error(`Run ${run} printed ${result.stdout}`);
    }
    await session.execute(endless[0], { timeoutMs: 200 });
    await session.release();
  }
}

await Promise.all([use(), use()]);

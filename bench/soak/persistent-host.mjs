// A host of a persistent session, until it is killed.

import { SandboxExecutor } from '../../dist/index.js';
import { PROGRAMS } from './programs.mjs';
import { LIMITS, soakTools } from './scenarios.mjs';

const [key, language, ...languages] = process.argv.slice(2);
const { zero, manyCalls, nap } = PROGRAMS[language];
const executor = new SandboxExecutor({
  provider: 'docker',
  tools: soakTools(),
  limits: LIMITS,
  languages,
});
const handle = await executor.acquire({ sessionKey: key, persistent: true });
await handle.execute(zero, { language });
process.send('ready');
for (;;) {
  await handle.execute(manyCalls, { language });
  await handle.execute(nap, { language });
}

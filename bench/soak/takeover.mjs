// Kills a host of a persistent session. Another host continues with its variables.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expectRun } from './expect.mjs';

const HOST = fileURLToPath(new URL('persistent-host.mjs', import.meta.url));

export async function takeover({
  executor,
  language,
  languages,
  programs,
  random,
  worker,
  onHost,
}) {
  const key = `soak-takeover-${worker}-${random.integer(0, 1e9)}`;
  const child = fork(HOST, [key, language, ...languages], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exit = once(child, 'exit');
  onHost(child.pid);
  await Promise.race([once(child, 'message'), exit]);
  // Between its programs, or during one.
  await delay(random.integer(0, 300));
  child.kill('SIGKILL');
  await exit;
  const handle = await executor.acquire({ sessionKey: key, persistent: true, sessionWaitMs: 5000 });
  const { resumed } = await handle.info();
  assert.ok(resumed === 'idle' || resumed === 'interrupted', `resumed: ${resumed}`);
  expectRun(await handle.execute(programs.count), 'ok', '1\n');
  await handle.destroy();
}

// Kills a host that uses sandboxes, at any moment of their lives.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HOST = fileURLToPath(new URL('host.mjs', import.meta.url));

export async function hostDies({ providerName, language = 'python', random, children, onHost }) {
  const child = fork(HOST, [providerName, language], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exit = once(child, 'exit');
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  onHost(child.pid);
  // From the start of its first sandbox to the middle of its programs.
  await delay(random.integer(150, 2500));
  const descendants = await children(child.pid);
  child.kill('SIGKILL');
  const [code, signal] = await exit;
  assert.equal(signal, 'SIGKILL', `The host ended by itself with status ${code}: ${complaint}`);
  onHost(child.pid, descendants);
}

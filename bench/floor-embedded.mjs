// The floor of the embedded provider: a Deno child process with a bare echo.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findEmbeddedPackages } from '../dist/providers/embedded/embedded-packages.js';
import { echoOfChild } from './echo.mjs';
import { timed } from './statistics.mjs';

const ECHO = `
  const buffer = new Uint8Array(1 << 20);
  Deno.stdout.writeSync(new TextEncoder().encode('1'));
  for (;;) {
    const length = Deno.stdin.readSync(buffer);
    if (length === null) break;
    let sent = 0;
    while (sent < length) sent += Deno.stdout.writeSync(buffer.subarray(sent, length));
  }
`;

export async function embeddedFloor() {
  const { denoPath } = findEmbeddedPackages();
  const start = async () => {
    const source = `data:text/javascript,${encodeURIComponent(ECHO)}`;
    const child = spawn(denoPath, ['run', '--no-prompt', '--no-config', source], { env: {} });
    await once(child.stdout, 'data');
    return child;
  };
  const startTimed = async () => {
    let child;
    const duration = await timed(async () => {
      child = await start();
    });
    child.kill('SIGKILL');
    await once(child, 'close');
    return duration;
  };
  return {
    name: 'raw Deno child',
    start: startTimed,
    // Deno runs TypeScript here.
    startNode: startTimed,
    async openEcho() {
      return echoOfChild(await start());
    },
    async openIdle() {
      return echoOfChild(await start());
    },
    close() {},
  };
}

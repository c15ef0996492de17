#!/usr/bin/env node
// @ts-check
// A persistent session outlives its process. Here, one process is killed, and a second one
// continues with its variables.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { SandboxExecutor } from 'sandboxed-ptc';
import { dockerProvider } from 'sandboxed-ptc/docker';

const [role, key = `conversation-${randomUUID()}`] = process.argv.slice(2);
const provider = dockerProvider();

if (role === 'first') {
  const executor = new SandboxExecutor({ provider });
  const session = await executor.acquire({ sessionKey: key, persistent: true });
  await session.execute('readings = [202, 187, 195]');
  // Now it waits to be killed. It closes nothing.
  process.send?.(`process ${process.pid} has put ${session.id} to use`);
} else {
  const availability = await provider.probe();
  if (availability.usable) await second();
  else {
    console.log(`This example needs Docker or Podman: ${availability.reason}.`);
    console.log(availability.remedy);
  }
}

async function second() {
  const first = fork(new URL(import.meta.url), ['first', key]);
  const gone = once(first, 'exit');
  const said = await Promise.race([once(first, 'message'), gone]);
  console.log('first: ', said[0]);
  first.kill('SIGKILL');
  await gone;

  const executor = new SandboxExecutor({ provider });
  try {
    // The kernel released the key when its process ended. sessionWaitMs covers the moment that this takes.
    const session = await executor.acquire({
      sessionKey: key,
      persistent: true,
      sessionWaitMs: 5000,
    });
    const { resumed, programs } = await session.info();
    console.log(
      `second: process ${process.pid} took it over: ${resumed}, after ${programs} program`,
    );
    assert.equal(resumed, 'idle');

    const { stdout } = await session.execute('print("mean", sum(readings) / len(readings))');
    console.log('second:', stdout.trimEnd());
    assert.match(stdout, /^mean 194\.66/);

    // close() would leave the session to a third process.
    await session.destroy();
    console.log('destroyed: its sandbox is gone');
  } finally {
    await executor.close();
    await provider.close();
  }
}

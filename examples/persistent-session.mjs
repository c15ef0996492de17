#!/usr/bin/env node
// @ts-check
// A persistent session outlives its process: here one is killed, and a second goes on with its state.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { SandboxExecutor } from 'sandboxed-ptc';
import { dockerProvider } from 'sandboxed-ptc/docker';

const [role, key = `conversation-${randomUUID()}`] = process.argv.slice(2);
const sandbox = dockerProvider();

if (role === 'first') {
  const executor = new SandboxExecutor({ sandbox });
  const session = await executor.acquire({ key, persistent: true });
  await session.execute('readings = [202, 187, 195]');
  // Now it waits to be killed, and closes nothing.
  process.send?.(`process ${process.pid} has put ${session.id} to use`);
} else {
  const availability = await sandbox.probe();
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

  const executor = new SandboxExecutor({ sandbox });
  try {
    // The kernel let go of the key when its process ended; waitMs is for the moment that it takes.
    const session = await executor.acquire({ key, persistent: true, waitMs: 5000 });
    const { resumed, runs } = await session.info();
    console.log(`second: process ${process.pid} took it over: ${resumed}, after ${runs} run`);
    assert.equal(resumed, 'idle');

    const { stdout } = await session.execute('print("mean", sum(readings) / len(readings))');
    console.log('second:', stdout.trimEnd());
    assert.match(stdout, /^mean 194\.66/);

    // close() would leave it to a third process.
    await session.destroy();
    console.log('destroyed: its sandbox is gone');
  } finally {
    await executor.close();
    await sandbox.close();
  }
}

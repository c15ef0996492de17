#!/usr/bin/env node
// @ts-check
// A session keeps variables, functions and imports from one program to the next.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PtcError, SandboxExecutor } from 'sandboxed-ptc';

const executor = new SandboxExecutor({ onProgress: console.log });

try {
  const session = await executor.acquire();
  const first = await session.execute(
    `import statistics

samples = [3, 1, 4, 1, 5, 9, 2, 6]

def describe():
    return f"median {statistics.median(samples)} of {len(samples)}"

print(describe())`,
  );
  console.log('first: ', first.stdout.trimEnd());

  // The same session, so nothing has to be sent again.
  const second = await session.execute('samples += [8, 9]\nprint(describe())');
  console.log('second:', second.stdout.trimEnd());
  assert.equal(second.stdout, 'median 4.5 of 10\n');

  // Without a session, a program has its own sandbox, which is removed afterwards.
  const alone = await executor.execute('print(samples)');
  console.log('alone: ', alone.error?.message);
  assert.equal(alone.error?.type, 'NameError');

  const { provider, programs } = await session.info();
  console.log(`session ${session.id} on ${provider}: ${programs} programs`);
  assert.equal(programs, 2);

  await session.release();
  await assert.rejects(
    session.execute('print(samples)'),
    (error) => PtcError.isInstance(error) && error.code === 'CLOSED',
  );
  console.log('released: the session is gone, and a program that is run in it is told so');

  // The session of a key stays open for whoever uses the key next.
  const key = `user-${randomUUID()}`;
  await executor.execute('visits = 1', { sessionKey: key });
  const { stdout } = await executor.execute('visits += 1\nprint(visits)', { sessionKey: key });
  console.log('by key:', stdout.trimEnd());
  assert.equal(stdout, '2\n');
} finally {
  await executor.close();
}

#!/usr/bin/env node
// @ts-check
// A session keeps variables, functions and imports from one program to the next.
import assert from 'node:assert/strict';
import { PtcError, SandboxExecutor } from 'sandboxed-ptc';

const executor = new SandboxExecutor({ onProgress: console.log });

try {
  const first = await executor.execute(
    `import statistics

samples = [3, 1, 4, 1, 5, 9, 2, 6]

def describe():
    return f"median {statistics.median(samples)} of {len(samples)}"

print(describe())`,
    { reuseSession: true },
  );
  console.log('first: ', first.stdout.trimEnd());

  // The same session: nothing has to be sent again.
  const { sessionId } = first;
  const second = await executor.execute('samples += [8, 9]\nprint(describe())', { sessionId });
  console.log('second:', second.stdout.trimEnd());
  assert.equal(second.stdout, 'median 4.5 of 10\n');

  // Without a session id a program has a sandbox of its own, which is gone afterwards.
  const alone = await executor.execute('print(samples)');
  console.log('alone: ', alone.error?.message);
  assert.equal(alone.error?.type, 'NameError');

  const info = executor.getSession(sessionId);
  console.log(`session ${sessionId} on ${info?.provider}: ${info?.runs} runs`);
  assert.equal(info?.runs, 2);

  await executor.closeSession(sessionId);
  await assert.rejects(
    executor.execute('print(samples)', { sessionId }),
    (error) => PtcError.isInstance(error) && error.code === 'SESSION_NOT_FOUND',
  );
  console.log('closed: the session is gone, and a program that asks for it is told so');
} finally {
  await executor.close();
}

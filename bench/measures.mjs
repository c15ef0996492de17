// What a user of the library waits for.

import { SandboxExecutor, ToolRegistry } from '../dist/index.js';
import { memoryOfOthersBytes } from './memory.mjs';
import { timed } from './statistics.mjs';

const CALLS = 500;
const BIG_TEXT = 'x'.repeat(10_000_000);

/** An executor with the tools that the measurements call. */
export function openExecutor(sandbox) {
  const tools = new ToolRegistry([
    { name: 'instant', description: 'Answers at once.', run: () => 1 },
    {
      name: 'slow',
      description: 'Answers after 50 ms.',
      run: () => new Promise((resolve) => setTimeout(resolve, 50, 1)),
    },
    { name: 'big', description: 'Gives 10 MB of text.', run: () => BIG_TEXT },
  ]);
  return new SandboxExecutor({ sandbox, tools });
}

/** From nothing to the first result. */
export async function cold(executor) {
  let sessionId;
  const duration = await timed(async () => {
    ({ sessionId } = await run(executor, 'print(1)', { reuseSession: true }));
  });
  await executor.closeSession(sessionId);
  return duration;
}

/** A small program in a live session. */
export async function warm(executor, sessionId) {
  const count = 100;
  const total = await timed(async () => {
    for (let index = 0; index < count; index += 1) {
      await run(executor, 'print(1)', { sessionId });
    }
  });
  return total / count;
}

/** One of many tool calls, one after the other, in one program. */
export async function roundTrip(executor, sessionId) {
  const code = `for _ in range(${CALLS}): await instant()`;
  return (await timed(() => run(executor, code, { sessionId }))) / CALLS;
}

/** Many calls of a 50 ms tool at once. */
export async function parallel(executor, sessionId, count) {
  const code = `import asyncio\n_ = await asyncio.gather(*(slow() for _ in range(${count})))`;
  return timed(() => run(executor, code, { sessionId }));
}

/** A tool's result of 10 MB. */
export async function big(executor, sessionId) {
  return timed(() => run(executor, 'len(await big())', { sessionId }));
}

/** What one of some idle sessions takes from the machine's memory, in MiB. */
export async function memory(executor, count) {
  const before = await memoryOfOthersBytes();
  const sessions = [];
  for (let index = 0; index < count; index += 1) {
    sessions.push((await run(executor, 'x = 1', { reuseSession: true })).sessionId);
  }
  const taken = (await memoryOfOthersBytes()) - before;
  for (const sessionId of sessions) await executor.closeSession(sessionId);
  return taken / count / 1024 / 1024;
}

async function run(executor, code, options) {
  const result = await executor.execute(code, options);
  if (!result.success) throw new Error(`The program failed: ${result.error?.traceback}`);
  return result;
}

// Measures what a user of the library waits for.

import { setTimeout as delay } from 'node:timers/promises';
import { defineRemoteTool, SandboxExecutor, ToolRegistry } from '../dist/index.js';
import { someAtOnce } from './at-once.mjs';
import { availableBytes, memoryOfOthersBytes } from './memory.mjs';
import { processorTime, timed } from './statistics.mjs';

export const CALLS = 500;
const STARTS = 24;
const BIG_TEXT = 'x'.repeat(10_000_000);
const SETTLE_MS = 2000;
/** Longer than any row takes: a session that waits for its turn must not expire. */
const SESSION_TIMEOUT_MS = 24 * 60 * 60 * 1000;
const MEBIBYTE = 1024 * 1024;

/** The same programs in each language. */
const PROGRAMS = {
  python: {
    one: 'print(1)',
    calls: `for _ in range(${CALLS}): await instant()`,
  },
  typescript: {
    one: 'console.log(1)',
    calls: `for (let i: number = 0; i < ${CALLS}; i++) await instant();`,
  },
  bash: {
    one: 'echo 1',
    calls: `for ((i = 0; i < ${CALLS}; i++)); do instant > /dev/null; done`,
  },
};

/** An executor with the tools that the measurements call. */
export function openExecutor(provider, options = {}) {
  const tools = new ToolRegistry([
    { name: 'instant', description: 'Answers at once.', run: () => 1 },
    { name: 'begun', description: 'Says that the program runs.', run: () => null },
    {
      name: 'slow',
      description: 'Answers after 50 ms.',
      run: () => new Promise((resolve) => setTimeout(resolve, 50, 1)),
    },
    { name: 'big', description: 'Gives 10 MB of text.', run: () => BIG_TEXT },
  ]);
  return new SandboxExecutor({
    sessionIdleTimeoutMs: SESSION_TIMEOUT_MS,
    // The rows of parallel calls measure the protocol, and not the limit of concurrent calls.
    budgets: { concurrentToolCalls: 1000 },
    ...options,
    provider,
    tools,
  });
}

/** The time to the first result, of a new sandbox or one from the pool. */
export async function first(executor, language = 'python') {
  let session;
  const duration = await timed(async () => {
    session = await executor.acquire();
    await run(session, PROGRAMS[language].one);
  });
  await session.release();
  return duration;
}

/** A small program in an open session. */
export async function warm(session, language = 'python') {
  const count = 100;
  const total = await timed(async () => {
    for (let index = 0; index < count; index += 1) {
      await run(session, PROGRAMS[language].one);
    }
  });
  return total / count;
}

/** One of many tool calls, one after the other, in one program. */
export async function roundTrip(session, language = 'python') {
  return (await timed(() => callOften(session, language))) / CALLS;
}

/** The same of a remote tool, whose calls are answered as soon as the program waits for them. */
export async function held(executor) {
  const remote = defineRemoteTool({ name: 'instant', description: 'Is answered at once.' });
  const session = await executor.acquire({ tools: [remote] });
  try {
    await answerAll(session, PROGRAMS.python.one);
    return (await timed(() => answerAll(session, PROGRAMS.python.calls))) / CALLS;
  } finally {
    await session.release();
  }
}

async function answerAll(session, code) {
  const program = await session.start(code);
  for (;;) {
    const step = await program.next();
    if (step.state === 'ended') {
      if (!step.result.success) throw new Error(JSON.stringify(step.result.error));
      return;
    }
    for (const { callId } of step.calls) program.answer(callId, { result: 1 });
  }
}

/** The host's processor time for such a call. */
export async function callProcessor(session) {
  return (await processorTime(() => callOften(session, 'python'))) / CALLS;
}

/** Many simultaneous calls of a tool that takes 50 ms. */
export async function parallel(session, count) {
  const code = `import asyncio\n_ = await asyncio.gather(*(slow() for _ in range(${count})))`;
  return timed(() => run(session, code));
}

/** A tool result of 10 MB. */
export async function big(session) {
  return timed(() => run(session, 'len(await big())'));
}

/**
 * Sandboxes per second, each taken from a pool, used for one program and closed, several at the
 * same time. At the end, as many are ready as at the start, so each one that was used was also
 * started.
 */
export async function poolRate(executor) {
  await executor.warmUp();
  return rate(async () => {
    await someAtOnce(STARTS, () => run(executor, 'print(1)'));
    await executor.warmUp();
  });
}

/**
 * Bare starts per second, each to its first output and its removal, with the same number in
 * parallel.
 */
export async function startRate(floor) {
  return rate(() =>
    someAtOnce(STARTS, async () => {
      const { close } = await floor.openIdle();
      await close();
    }),
  );
}

/**
 * How much of the machine's memory each of several takes, in MiB. `open` returns a function that
 * closes one.
 */
export async function memoryOfEach(count, open) {
  // The kernel releases the memory of ended processes late.
  await delay(SETTLE_MS);
  const before = await memoryOfOthersBytes();
  const availableBefore = await availableBytes();
  const closers = [];
  for (let index = 0; index < count; index += 1) closers.push(await open());
  const each = (bytes) => bytes / count / MEBIBYTE;
  const taken = each((await memoryOfOthersBytes()) - before);
  const drop = each(availableBefore - (await availableBytes()));
  for (const close of closers) await close();
  return { taken, drop };
}

/** Opens an idle session and returns a function that closes it. */
export async function openIdleSession(executor) {
  const session = await executor.acquire();
  await run(session, 'x = 1');
  return () => session.release();
}

async function rate(work) {
  return STARTS / ((await timed(work)) / 1000);
}

async function callOften(session, language) {
  await run(session, PROGRAMS[language].calls);
}

/** `place` is a session, or an executor, which gives the program its own sandbox. */
export async function run(place, code) {
  const result = await place.execute(code);
  if (!result.success)
    throw new Error(`The program failed: ${result.status}, ${result.error?.message}`);
  return result;
}

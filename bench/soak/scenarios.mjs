// What users and their programs do to sandboxes, and what must come of it. Each throws where it does not.

import assert from 'node:assert/strict';
import { ToolRegistry } from '../../dist/index.js';
import { heir } from './heir.mjs';
import { hostDies } from './host-dies.mjs';
import { hostile } from './hostile.mjs';

export const LIMITS = { memoryBytes: 96 * 1024 * 1024 };

/** The tools that the programs call. */
export function soakTools() {
  return new ToolRegistry([
    {
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      run: ({ a, b }) => a + b,
    },
    { name: 'mark', description: 'Says that the program is here.', run: () => null },
    {
      name: 'fail',
      description: 'Fails.',
      run: () => {
        throw new Error('this tool fails');
      },
    },
  ]);
}

const SCENARIOS = [
  { name: 'one-shot', weight: 8, run: oneShot },
  { name: 'reused', weight: 8, run: reused },
  { name: 'tool-failure', weight: 3, run: toolFailure },
  { name: 'timeout', weight: 3, run: timeout },
  { name: 'abort', weight: 4, run: abort },
  { name: 'abort-start', weight: 3, run: abortStart },
  // One in ten of all.
  { name: 'hostile', weight: 6, run: hostile },
  { name: 'memory-bomb', weight: 1, run: memoryBomb },
  { name: 'flood', weight: 2, run: flood },
  { name: 'suicide', weight: 2, run: suicide },
  { name: 'close-while-busy', weight: 2, run: closeWhileBusy },
  { name: 'killed-busy', weight: 2, run: killedBusy, needs: 'docker' },
  { name: 'killed-idle', weight: 2, run: killedIdle, needs: 'docker' },
  { name: 'host-dies', weight: 2, run: hostDies },
  { name: 'heir', weight: 2, run: heir, needs: 'docker' },
  { name: 'acquired', weight: 6, run: acquired, needs: 'acquire' },
  { name: 'reset', weight: 4, run: reset, needs: 'acquire' },
];

/** The scenarios that can be played with what there is, and the names of the others. */
export function chooseScenarios({ providerName, executor }) {
  const has = { docker: providerName === 'docker', acquire: 'acquire' in executor };
  const possible = ({ needs }) => needs === undefined || has[needs];
  return {
    scenarios: SCENARIOS.filter((scenario) => possible(scenario)),
    left: SCENARIOS.filter((scenario) => !possible(scenario)).map(({ name }) => name),
  };
}

async function oneShot({ executor, random }) {
  const [a, b] = [random.integer(0, 1e6), random.integer(0, 1e6)];
  const result = await executor.execute(`print(await add(a=${a}, b=${b}))`);
  expectRun(result, 'ok', `${a + b}\n`);
}

async function reused({ executor, random }) {
  const runs = random.integer(2, 12);
  await withSession(executor, async (sessionId) => {
    for (let run = 1; run <= runs; run += 1) {
      const result = await executor.execute('count += 1\nprint(count)', { sessionId });
      expectRun(result, 'ok', `${run}\n`);
    }
  });
}

async function toolFailure({ executor }) {
  const code =
    'try:\n  await fail()\nexcept Exception as error:\n  print("this tool" in str(error))';
  expectRun(await executor.execute(code), 'ok', 'True\n');
}

async function timeout({ executor, random }) {
  const loop = random.weighted([
    ['while True: pass', 1],
    ['import time; time.sleep(60)', 1],
    ['import asyncio; await asyncio.sleep(60)', 1],
  ]);
  await withSession(executor, async (sessionId) => {
    let begun = false;
    const result = await executor.execute(`print("before")\nawait mark()\n${loop}`, {
      sessionId,
      timeoutMs: 300,
      onEvent: ({ type }) => {
        begun ||= type === 'tool-call';
      },
    });
    // On a busy machine the time may be up before the program's first line.
    expectRun(result, 'timeout', begun ? 'before\n' : undefined);
    if (!result.sessionOpen) return;
    expectRun(await executor.execute('print(count)', { sessionId }), 'ok', '0\n');
  });
}

async function abort({ executor, random }) {
  const signal = AbortSignal.timeout(random.integer(1, 400));
  await withSession(executor, async (sessionId) => {
    const code = 'import asyncio\nwhile True: await asyncio.sleep(0.01)';
    const result = await executor.execute(code, { sessionId, signal }).catch(abortedEarly);
    if (result !== undefined) expectRun(result, 'cancelled');
  });
}

async function abortStart({ executor, random }) {
  const signal = AbortSignal.timeout(random.integer(1, 150));
  const result = await executor.execute('print(1)', { signal }).catch(abortedEarly);
  if (result !== undefined) assert.ok(['ok', 'cancelled'].includes(result.status), result.status);
}

async function memoryBomb({ executor }) {
  const code = 'blocks = []\nwhile True: blocks.append(b"x" * (1 << 20) + bytes(len(blocks)))';
  const result = await executor.execute(code);
  const raised = result.status === 'error' && result.error?.type === 'MemoryError';
  assert.ok(raised || result.status === 'memory', describe(result));
}

async function flood({ executor, random }) {
  const megabytes = random.integer(3, 20);
  const code = `print("head")\nfor _ in range(${megabytes}): print("x" * 1000000)\nprint("tail")`;
  const result = await executor.execute(code);
  expectRun(result, 'ok');
  assert.ok(result.truncated && result.stdout.startsWith('head\n'), 'the head of a flood is lost');
  assert.ok(result.stdout.endsWith('tail\n'), 'the tail of a flood is lost');
}

async function suicide({ executor }) {
  const result = await executor.execute('import os\nos._exit(9)');
  expectRun(result, 'sandbox-lost');
}

async function closeWhileBusy({ executor }) {
  await withSession(executor, async (sessionId) => {
    const closing = [];
    const result = await executor.execute('await mark()\nwhile True: pass', {
      sessionId,
      onEvent: ({ type }) => {
        if (type === 'tool-call') closing.push(executor.closeSession(sessionId));
      },
    });
    await Promise.all(closing);
    assert.notEqual(result.status, 'ok');
    assert.equal(result.sessionOpen, false);
  });
}

async function killedBusy({ executor, killContainerOf }) {
  await withSession(executor, async (sessionId) => {
    const killing = [];
    const result = await executor.execute('await mark()\nwhile True: pass', {
      sessionId,
      onEvent: ({ type }) => {
        if (type === 'tool-call') killing.push(killContainerOf(sessionId));
      },
    });
    await Promise.all(killing);
    assert.ok(['sandbox-lost', 'memory'].includes(result.status), describe(result));
    assert.equal(result.sessionOpen, false);
  });
}

async function killedIdle({ executor, killContainerOf }) {
  await withSession(executor, async (sessionId) => {
    await killContainerOf(sessionId);
    const outcome = await executor.execute('print(1)', { sessionId }).then(
      ({ status }) => status,
      ({ code }) => code,
    );
    // It depends on who hears of the death first, the host or the program's first frame.
    assert.ok(['sandbox-lost', 'SESSION_NOT_FOUND', 'CLOSED'].includes(outcome), outcome);
  });
}

async function acquired({ executor, random, worker }) {
  const handle = await executor.acquire(keyOf(worker, random));
  const runs = random.integer(1, 5);
  expectRun(await handle.execute('count = 0'), 'ok');
  for (let run = 1; run <= runs; run += 1) {
    expectRun(await handle.execute('count += 1\nprint(count)'), 'ok', `${run}\n`);
  }
  await (random.integer(0, 1) === 0 ? handle.release() : handle.destroy());
}

async function reset({ executor, random, worker }) {
  const handle = await executor.acquire(keyOf(worker, random));
  expectRun(await handle.execute('secret = 1'), 'ok');
  await handle.reset();
  expectRun(await handle.execute('print("secret" in globals())'), 'ok', 'False\n');
  await handle.destroy();
}

/** One of few keys, so that sessions are met again; no other worker's, so that answers are certain. */
function keyOf(worker, random) {
  return `soak-${worker}-${random.integer(0, 2)}`;
}

/** Runs `use` with a session in which `count` is 0. */
async function withSession(executor, use) {
  const opened = await executor.execute('count = 0', { reuseSession: true });
  expectRun(opened, 'ok');
  try {
    await use(opened.sessionId);
  } finally {
    await executor.closeSession(opened.sessionId);
  }
}

function expectRun(result, status, stdout) {
  assert.equal(result.status, status, describe(result));
  if (stdout !== undefined) assert.equal(result.stdout, stdout);
}

function describe({ status, stdout, error }) {
  return `${status}, printed ${JSON.stringify(stdout.slice(0, 200))}, ${error?.type}: ${error?.message}`;
}

function abortedEarly(error) {
  if (error.code !== 'ABORTED') throw error;
}

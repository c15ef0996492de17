// What users and their programs do with sandboxes, and the results that must follow. Each scenario
// throws if they do not.

import assert from 'node:assert/strict';
import { ToolRegistry } from '../../dist/index.js';
import { describe, expectRun } from './expect.mjs';
import { takeover } from './takeover.mjs';
import { hostDies } from './host-dies.mjs';
import { hostile } from './hostile.mjs';
import { PROGRAMS } from './programs.mjs';
import { switching } from './switching.mjs';

export const LIMITS = { memoryBytes: 96 * 1024 * 1024 };

/** The tools that the programs call, and additional ones. */
export function soakTools(more = []) {
  return new ToolRegistry([
    ...more,
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

/** The errors of interpreters that notice a lack of memory themselves. */
const OUT_OF_MEMORY = new Set(['MemoryError', 'RangeError']);

const SCENARIOS = [
  { name: 'one-shot', weight: 8, run: oneShot },
  { name: 'reused', weight: 8, run: reused },
  { name: 'switching', weight: 10, run: switching, needs: 'interpreters' },
  { name: 'tool-failure', weight: 3, run: toolFailure },
  { name: 'timeout', weight: 3, run: timeout },
  { name: 'abort', weight: 4, run: abort },
  { name: 'abort-start', weight: 3, run: abortStart },
  // One quarter of all.
  { name: 'hostile', weight: 21, run: hostile },
  { name: 'memory-bomb', weight: 1, run: memoryBomb },
  { name: 'flood', weight: 2, run: flood },
  { name: 'suicide', weight: 2, run: suicide, needs: 'own end' },
  { name: 'close-while-busy', weight: 2, run: closeWhileBusy },
  { name: 'killed-busy', weight: 2, run: killedBusy, needs: 'engine' },
  { name: 'killed-idle', weight: 2, run: killedIdle, needs: 'engine' },
  { name: 'host-dies', weight: 2, run: hostDies },
  { name: 'takeover', weight: 2, run: takeover, needs: 'docker' },
  { name: 'acquired', weight: 6, run: acquired },
  { name: 'reset', weight: 4, run: reset },
];

/** The scenarios that are possible in a place, and the names of the others. */
export function chooseScenarios(providerName, { languages, programs }) {
  const has = {
    docker: providerName === 'docker',
    engine: providerName === 'docker' || providerName === 'kubernetes',
    interpreters: new Set(languages.map((name) => PROGRAMS[name].interpreter)).size > 1,
    // Programs cannot end Deno.
    'own end': providerName !== 'embedded' || programs.interpreter !== 'javascript',
  };
  const possible = ({ needs }) => needs === undefined || has[needs];
  return {
    scenarios: SCENARIOS.filter((scenario) => possible(scenario)),
    left: SCENARIOS.filter((scenario) => !possible(scenario)).map(({ name }) => name),
  };
}

async function oneShot({ executor, programs, random }) {
  const [a, b] = [random.integer(0, 1e6), random.integer(0, 1e6)];
  expectRun(await executor.execute(programs.add(a, b)), 'ok', `${a + b}\n`);
}

async function reused({ executor, programs, random }) {
  const runs = random.integer(2, 12);
  await withSession(executor, programs, async (session) => {
    for (let run = 1; run <= runs; run += 1) {
      expectRun(await session.execute(programs.increment), 'ok', `${run}\n`);
    }
  });
}

async function toolFailure({ executor, programs }) {
  expectRun(await executor.execute(programs.catchFailure), 'ok', 'True\n');
}

async function timeout({ executor, programs, random }) {
  const { endless } = programs;
  const loop = endless[random.integer(0, endless.length - 1)];
  await withSession(executor, programs, async (session) => {
    let begun = false;
    const result = await session.execute(programs.mark(loop), {
      timeoutMs: 300,
      onEvent: ({ type }) => {
        begun ||= type === 'tool-call-started';
      },
    });
    // On a busy machine, the time limit may pass before the program's first line.
    expectRun(result, 'timeout', begun ? 'before\n' : undefined);
    if (!result.sessionOpen) return;
    expectRun(await session.execute(programs.show), 'ok', '0\n');
  });
}

async function abort({ executor, programs, random }) {
  const signal = AbortSignal.timeout(random.integer(1, 400));
  await withSession(executor, programs, async (session) => {
    const result = await session.execute(programs.wait, { signal }).catch(abortedEarly);
    if (result !== undefined) expectRun(result, 'cancelled');
  });
}

async function abortStart({ executor, programs, random }) {
  const signal = AbortSignal.timeout(random.integer(1, 150));
  const result = await executor.execute(programs.add(1, 1), { signal }).catch(abortedEarly);
  if (result !== undefined)
    assert.ok(['ok', 'cancelled'].includes(result.status), describe(result));
}

async function memoryBomb({ executor, programs }) {
  const result = await executor.execute(programs.memoryBomb);
  // An interpreter may report it to the program before the sandbox ends it.
  const raised = result.status === 'error' && OUT_OF_MEMORY.has(result.error?.type);
  assert.ok(raised || result.status === 'memory-limit', describe(result));
}

async function flood({ executor, programs, random }) {
  // More than the 4 MiB that are kept.
  const result = await executor.execute(programs.flood(random.integer(5, 20)));
  expectRun(result, 'ok');
  assert.ok(result.truncated && result.stdout.startsWith('head\n'), 'the head of a flood is lost');
  assert.ok(result.stdout.endsWith('tail\n'), 'the tail of a flood is lost');
}

async function suicide({ executor, programs }) {
  expectRun(await executor.execute(programs.suicide), 'sandbox-lost');
}

async function closeWhileBusy({ executor, programs }) {
  await withSession(executor, programs, async (session) => {
    const closing = [];
    const result = await session.execute(programs.mark(programs.endless[0]), {
      onEvent: ({ type }) => {
        if (type === 'tool-call-started') closing.push(executor.closeSession({ id: session.id }));
      },
    });
    await Promise.all(closing);
    assert.notEqual(result.status, 'ok');
    assert.equal(result.sessionOpen, false);
  });
}

async function killedBusy({ executor, programs, killContainer }) {
  await withSession(executor, programs, async (session) => {
    const { sandboxId } = await session.info();
    const killing = [];
    const result = await session.execute(programs.mark(programs.endless[0]), {
      onEvent: ({ type }) => {
        if (type === 'tool-call-started') killing.push(killContainer(sandboxId));
      },
    });
    await Promise.all(killing);
    assert.ok(['sandbox-lost', 'memory-limit'].includes(result.status), describe(result));
    assert.equal(result.sessionOpen, false);
  });
}

async function killedIdle({ executor, programs, killContainer }) {
  await withSession(executor, programs, async (session) => {
    const { sandboxId } = await session.info();
    await killContainer(sandboxId);
    const outcome = await session.execute(programs.show).then(
      ({ status }) => status,
      ({ code }) => code,
    );
    // It depends on what happens first: the host notices the death, or sends the program's first
    // frame.
    assert.ok(['sandbox-lost', 'SESSION_NOT_FOUND', 'CLOSED'].includes(outcome), outcome);
  });
}

async function acquired({ executor, languages, programs, random, worker }) {
  const handle = await executor.acquire({ sessionKey: keyOf(worker, languages) });
  const runs = random.integer(1, 5);
  expectRun(await handle.execute(programs.zero), 'ok');
  for (let run = 1; run <= runs; run += 1) {
    expectRun(await handle.execute(programs.increment), 'ok', `${run}\n`);
  }
  await (random.integer(0, 1) === 0 ? handle.release() : handle.destroy());
}

async function reset({ executor, languages, programs, worker }) {
  const handle = await executor.acquire({ sessionKey: keyOf(worker, languages) });
  expectRun(await handle.execute(programs.keepSecret), 'ok');
  expectRun(await handle.execute(programs.tellSecret), 'ok', 'True\n');
  await handle.reset();
  expectRun(await handle.execute(programs.tellSecret), 'ok', 'False\n');
  await handle.destroy();
}

/**
 * A key for each executor, so that sessions are used again, but only by one worker, so that answers
 * are certain.
 */
function keyOf(worker, languages) {
  return `soak-${worker}-${languages.join('-')}`;
}

/** Runs `use` with a session in which `count` is 0. */
async function withSession(executor, programs, use) {
  const session = await executor.acquire();
  try {
    expectRun(await session.execute(programs.zero), 'ok');
    await use(session);
  } finally {
    await session.release();
  }
}

function abortedEarly(error) {
  if (error.code !== 'ABORTED') throw error;
}

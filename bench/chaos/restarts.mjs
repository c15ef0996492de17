// Kills an engine during a program, and restarts it.

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { PtcError, SandboxExecutor } from '../../dist/index.js';
import { dockerProvider } from '../../dist/providers/docker/docker-provider.js';
import { countProcessesOf } from '../soak/engine.mjs';
import { LIMITS, soakTools } from '../soak/scenarios.mjs';
import { startOwnEngine, until } from './own-engine.mjs';

/** An engine that is asked to end ends its containers first. */
const SETTLED_WITHIN_MS = { SIGKILL: 5000, SIGTERM: 20_000 };
/** After this time from the engine's restart, nothing may be left of what ran in it. */
const GONE_WITHIN_MS = 5000;

/** @throws if a program did not end, left something behind, or the executor did not recover. */
export async function restartEngine(times, random) {
  const engine = await startOwnEngine();
  const provider = dockerProvider({ host: engine.address });
  const executor = new SandboxExecutor({ provider, tools: soakTools(), limits: LIMITS });
  try {
    for (let turn = 0; turn < times; turn += 1) {
      const signal = turn % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
      await dieAndComeBack({ engine, provider, executor, random, signal });
      console.log(`the engine died of ${signal} and came back`);
    }
  } finally {
    await executor.close();
    await provider.close();
    await engine.stop();
  }
}

async function dieAndComeBack({ engine, provider, executor, random, signal }) {
  await expectWorks(executor);
  let mark;
  const isAtWork = new Promise((resolve) => {
    mark = resolve;
  });
  const running = executor
    .execute('await mark()\nwhile True: pass', {
      timeoutMs: 120_000,
      onEvent: ({ type }) => type === 'tool-call-started' && mark(),
    })
    .then(
      ({ status }) => status,
      (error) => error,
    );
  await isAtWork;
  const [{ id }] = await provider.findSandboxes();
  await delay(random.integer(0, 300));
  const withinMs = SETTLED_WITHIN_MS[signal];
  const [, end] = await Promise.all([
    engine.end(signal),
    Promise.race([running, delay(withinMs, 'unsettled', { ref: false })]),
  ]);
  assert.equal(end, 'sandbox-lost');
  const refusal = await executor.execute('print(1)').then(
    ({ status }) => status,
    (error) => error,
  );
  assert.ok(PtcError.isInstance(refusal), `without an engine a run ended with ${refusal}`);
  assert.ok(
    ['SANDBOX_UNAVAILABLE', 'SANDBOX_START_FAILED'].includes(refusal.code),
    `without an engine a run was refused as ${refusal.code}: ${refusal.message}`,
  );
  engine.begin();
  await until('the engine answers again', async () => (await provider.probe()).usable);
  // An engine that is killed leaves its containers to their own time limits, and ends them when it
  // is back.
  const isGone = async () => (await countProcessesOf(new Set([id]))) === 0;
  await until('the processes of the lost run are gone', isGone, GONE_WITHIN_MS);
  await expectWorks(executor);
  const isEmpty = async () => (await provider.findSandboxes()).length === 0;
  await until('nothing is left in the engine', isEmpty, GONE_WITHIN_MS);
}

async function expectWorks(executor) {
  const result = await executor.execute('print(await add(a=1, b=1))');
  assert.equal(result.stdout, '2\n', JSON.stringify(result));
}

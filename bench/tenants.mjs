// Measures what one tenant's flood of programs adds to the time of another tenant's programs.

import { openExecutor } from './measures.mjs';
import { quantile, timed } from './statistics.mjs';

const ROUNDS = 5;
const PROGRAMS_OF_A_ROUND = 20;
/** How many programs the flooding tenant always has in progress or waiting. */
const FLOOD = 12;
/** Takes 200 ms and little processor time. */
const PROGRAM = 'for _ in range(4): await slow()';

/** The flood is served first come, first served, in turn, or in turn and within a quota. */
const SETTINGS = {
  'without fairBy': {},
  'with fairBy': { fairBy: 'tenant' },
  'with a quota too': { fairBy: 'tenant', quotas: { sandboxes: 3 } },
};

/**
 * The 99th percentile of the time of an honest tenant's programs, each in a new sandbox, beside a
 * flooding tenant that may have all sandboxes but one. The floor is the same without the flood,
 * measured in turn with it.
 */
export async function tenants({ provider, onProgress }) {
  const measured = {};
  for (const [name, options] of Object.entries(SETTINGS)) {
    onProgress(`${provider.name}: TENANTS ${name}`);
    measured[name] = await measure(provider, { maxSandboxes: 4, ...options });
  }
  const notes = Object.entries(measured).map(
    ([name, { value, floor }]) =>
      `${name}: ${value.toFixed(0)} ms beside the flood, ${floor.toFixed(0)} ms alone, ${(value / floor).toFixed(2)} times`,
  );
  return { ...measured['with a quota too'], notes };
}

async function measure(provider, options) {
  const executor = openExecutor(provider, options);
  const times = { alone: [], beside: [] };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      times.alone.push(...(await honest(executor)));
      const endFlood = flood(executor);
      times.beside.push(...(await honest(executor)));
      await endFlood();
    }
  } finally {
    await executor.close();
  }
  return { value: quantile(times.beside, 0.99), floor: quantile(times.alone, 0.99) };
}

async function honest(executor) {
  const times = [];
  for (let count = 0; count < PROGRAMS_OF_A_ROUND; count += 1) {
    times.push(await timed(() => run(executor, 'honest')));
  }
  return times;
}

/** Starts a flood, and returns a function that ends it. */
function flood(executor) {
  let isOver = false;
  const keepOn = async () => {
    while (!isOver) await run(executor, 'flooding');
  };
  const all = Promise.all(Array.from({ length: FLOOD }, keepOn));
  return async () => {
    isOver = true;
    await all;
  };
}

async function run(executor, tenant) {
  const result = await executor.execute(PROGRAM, { labels: { tenant } });
  if (!result.success) throw new Error(`A run failed: ${result.status}, ${result.error?.message}`);
}

// Measures what one tenant's flood of programs adds to the time of another tenant's programs.

import { openExecutor } from './measures.mjs';
import { quantile, timed } from './statistics.mjs';

const PROGRAMS_OF_A_ROUND = 20;
/** How many programs the flooding tenant always has in progress or waiting. */
const FLOOD = 12;
/** Takes 200 ms and little processor time. */
const PROGRAM = 'for _ in range(4): await slow()';

const QUOTA = { fairBy: 'tenant', quotas: { sandboxes: 3 } };
/** What the row is compared with: the flood is served in turn only, or first come, first served. */
const OTHERS = { 'without the quota': { fairBy: 'tenant' }, 'without fairBy': {} };

/**
 * The 99th percentile of the time of an honest tenant's programs, each in a new sandbox, beside a
 * flooding tenant that may have all sandboxes but one. The floor is the same without the flood,
 * measured in turn with it.
 */
export async function tenants({ provider, onProgress }) {
  const measured = await measure(provider, 5, QUOTA);
  const notes = [];
  for (const [name, options] of Object.entries(OTHERS)) {
    onProgress(`${provider.name}: TENANTS ${name}`);
    const { value, floor } = await measure(provider, 1, options);
    notes.push(`${name}, longest of ${PROGRAMS_OF_A_ROUND}: ${(value / floor).toFixed(2)} times`);
  }
  return { ...measured, notes };
}

async function measure(provider, rounds, options) {
  const executor = openExecutor(provider, { maxSandboxes: 4, ...options });
  const times = { alone: [], beside: [] };
  try {
    // The first sandbox takes longer.
    await run(executor, 'honest');
    for (let round = 0; round < rounds; round += 1) {
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
  const over = new AbortController();
  const keepOn = async () => {
    while (!over.signal.aborted) await run(executor, 'flooding');
  };
  const all = Promise.all(Array.from({ length: FLOOD }, keepOn));
  return async () => {
    over.abort();
    await all;
  };
}

async function run(executor, tenant) {
  const result = await executor.execute(PROGRAM, { labels: { tenant } });
  if (!result.success) throw new Error(`A run failed: ${result.status}, ${result.error?.message}`);
}

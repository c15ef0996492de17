// Measures the rows of one provider, each beside its floor.

import { flood } from './flood.mjs';
import { judge } from './judge.mjs';
import { many } from './many.mjs';
import {
  big,
  CALLS,
  callProcessor,
  first,
  memoryOfEach,
  openExecutor,
  openIdleSession,
  parallel,
  poolRate,
  roundTrip,
  warm,
} from './measures.mjs';
import { interleave, timed } from './statistics.mjs';

const ROUNDS = { live: 7, starts: 5 };
const IDLE_SESSIONS = 20;
const POOL_SIZE = 12;
const STARTS_AT_ONCE = 4;

/**
 * Measures some rows.
 * @returns {Promise<[import('./rows.mjs').Row, ReturnType<typeof judge>][]>}
 */
export async function measureRows(rows, { provider, floor, minutes, onProgress }) {
  const executor = openExecutor(provider);
  const pooled = openExecutor(provider, { pool: { minIdle: 2, maxIdle: 2 } });
  const measured = new Map();
  try {
    const { sessionId } = await executor.execute('1', { reuseSession: true });
    const context = { provider, executor, pooled, floor, sessionId, minutes, onProgress };
    // Before the others, which make this process larger: growth then shows.
    const alone = rows.filter(({ group }) => group === 'alone');
    for (const row of alone) {
      onProgress(`${provider.name}: ${row.name}`);
      measured.set(row, await ALONE[row.value](context));
    }
    for (const group of ['live', 'starts']) {
      const ofGroup = rows.filter((row) => row.group === group);
      if (ofGroup.length === 0) continue;
      onProgress(`${provider.name}: ${ofGroup.map(({ name }) => name).join(', ')}`);
      const medians = await measureGroup(ofGroup, ROUNDS[group], context);
      for (const row of ofGroup) {
        const floorValue = typeof row.floor === 'number' ? row.floor : medians[row.floor];
        measured.set(row, { value: medians[row.value], floor: floorValue });
      }
    }
  } finally {
    await pooled.close();
    await executor.close();
  }
  return rows.map((row) => [row, judge(row, provider.name, measured.get(row))]);
}

/** Medians of what the rows need, floors included, of rounds in which each has its turn. */
async function measureGroup(rows, rounds, context) {
  const needed = new Set(rows.flatMap(({ value, floor }) => [value, floor]));
  const { echo, close } = await context.floor.openEcho();
  try {
    await echo.shortLine(100);
    const all = measurements({ ...context, echo });
    return await interleave(
      rounds,
      Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(name))),
    );
  } finally {
    await close();
  }
}

function measurements({ provider, executor, pooled, floor, sessionId, echo }) {
  return {
    echo: () => echo.shortLine(CALLS),
    warm: () => warm(executor, sessionId),
    roundTrip: () => roundTrip(executor, sessionId),
    echoProcessor: () => echo.processorTimeOfMessage(CALLS),
    callProcessor: () => callProcessor(executor, sessionId),
    parallel100: () => parallel(executor, sessionId, 100),
    parallel1000: () => parallel(executor, sessionId, 1000),
    echoBig: () => echo.tenMegabytes(),
    big: () => big(executor, sessionId),
    start: () => floor.start(),
    cold: () => first(executor),
    pooled: async () => {
      await pooled.warmUp();
      return first(pooled);
    },
    startRate: () => startRate(floor),
    poolRate: () => poolRate(provider, POOL_SIZE),
  };
}

/** Bare starts in a second, some at once. */
async function startRate(floor) {
  const closers = [];
  let left = POOL_SIZE;
  const starter = async () => {
    while (left-- > 0) closers.push(await floor.openIdle());
  };
  const duration = await timed(() =>
    Promise.all(Array.from({ length: STARTS_AT_ONCE }, () => starter())),
  );
  await Promise.all(closers.map(({ close }) => close()));
  return POOL_SIZE / (duration / 1000);
}

/** What is measured once, by itself. */
const ALONE = {
  flood,
  many,
  async memory({ executor, floor }) {
    const here = await memoryOfEach(IDLE_SESSIONS, () => openIdleSession(executor));
    const bare = await memoryOfEach(IDLE_SESSIONS, async () => (await floor.openIdle()).close);
    const drops = `${here.drop.toFixed(1)} MiB each, ${floor.name} ${bare.drop.toFixed(1)} MiB`;
    return { value: here.taken, floor: bare.taken, notes: [`drop in MemAvailable: ${drops}`] };
  },
};

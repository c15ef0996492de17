// Measures the rows of one provider, each with its floor.

import { setTimeout as delay } from 'node:timers/promises';
import { AT_ONCE } from './at-once.mjs';
import { chatMemory, chats, storedChats } from './chats.mjs';
import { batch, batchTurn } from './batch.mjs';
import { bigFile, coldPandas, plot, smallFile } from './data.mjs';
import { kill, stop, stopStuck } from './endings.mjs';
import { flood } from './flood.mjs';
import { heldPrograms } from './held-programs.mjs';
import { hostile } from './hostile.mjs';
import { judge } from './judge.mjs';
import { largeHost } from './large-host.mjs';
import { load, loadBySize, loadTurn } from './load.mjs';
import { many } from './many.mjs';
import { mcpCall } from './mcp.mjs';
import {
  big,
  CALLS,
  callProcessor,
  first,
  held,
  memoryOfEach,
  openExecutor,
  openIdleSession,
  parallel,
  poolRate,
  roundTrip,
  startRate,
  warm,
} from './measures.mjs';
import { collectGarbage } from './memory.mjs';
import { ROWS } from './rows.mjs';
import { interleave } from './statistics.mjs';
import { tenants } from './tenants.mjs';
import { toolsAdd, toolsCold, toolsSearch, toolsWarm } from './tools.mjs';

const ROUNDS = { live: 7, starts: 5 };
/** For providers without a goal for RTT. */
const RTT_BOUND = 1.75;
const IDLE_SESSIONS = 20;
/** Longer than the provider needs to make a guest's snapshot, which it begins with its second sandbox. */
const SNAPSHOT_MS = 5000;

/**
 * Measures rows, except those for which something is missing here.
 * @returns {Promise<[import('./rows.mjs').Row, ReturnType<typeof judge>][]>}
 */
export async function measureRows(all, { provider, floor, minutes, sessions, onProgress }) {
  const rows = all.filter(
    ({ only = provider.name, except, language = 'python' }) =>
      only === provider.name && except !== provider.name && provider.languages.includes(language),
  );
  const executor = openExecutor(provider);
  const pooled = openExecutor(provider, { pool: { minReady: AT_ONCE } });
  const measured = new Map();
  const others = new Map();
  try {
    const session = await executor.acquire();
    await session.execute('1');
    for (const { language } of rows) {
      if (language === undefined || others.has(language)) continue;
      const own = openExecutor(provider, { languages: [language] });
      others.set(language, { executor: own });
      const opened = await own.acquire();
      await opened.execute('');
      others.get(language).session = opened;
    }
    const context = {
      provider,
      executor,
      pooled,
      others,
      floor,
      session,
      minutes,
      sessions,
      onProgress,
    };
    // Measured first: the others make this process larger, which would hide growth.
    const alone = rows.filter(({ group }) => group === 'alone');
    for (const row of alone) {
      onProgress(`${provider.name}: ${row.name}`);
      measured.set(row, await ALONE[row.value](context));
    }
    for (const group of ['live', 'starts']) {
      const ofGroup = rows.filter((row) => row.group === group);
      if (ofGroup.length === 0) continue;
      onProgress(`${provider.name}: ${ofGroup.map(({ name }) => name).join(', ')}`);
      if (group === 'starts') await startUnmeasured(others);
      const medians = await measureGroup(ofGroup, ROUNDS[group], context);
      for (const row of ofGroup) {
        const floorValue = typeof row.floor === 'number' ? row.floor : medians[row.floor];
        measured.set(row, { value: medians[row.value], floor: floorValue });
      }
    }
  } finally {
    for (const { executor: own } of others.values()) await own.close();
    await pooled.close();
    await executor.close();
  }
  return rows
    .filter((row) => measured.get(row) !== undefined)
    .map((row) => [row, judge(row, provider.name, measured.get(row))]);
}

/** Starts sandboxes until later ones get a snapshot of their guest, which not all rounds would. */
async function startUnmeasured(others) {
  if (others.size === 0) return;
  const startEach = async () => {
    for (const [language, own] of others) await first(own.executor, language);
  };
  await startEach();
  await delay(SNAPSHOT_MS);
  await startEach();
}

/**
 * The medians of what the rows need, including floors, over rounds in which each is measured once.
 */
async function measureGroup(rows, rounds, context) {
  const needed = new Set(rows.flatMap(({ value, floor }) => [value, floor]));
  const { echo, close } = await context.floor.openEcho();
  const least = needed.has('leastRun') ? await context.floor.openInterpreter() : undefined;
  try {
    await echo.shortLine(100);
    const all = measurements({ ...context, echo, least });
    return await interleave(
      rounds,
      Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(name))),
    );
  } finally {
    await least?.close();
    await close();
  }
}

function measurements({ provider, executor, pooled, others, floor, session, echo, least }) {
  const ofOthers = [...others].flatMap(([language, own]) => [
    [`roundTrip ${language}`, () => roundTrip(own.session, language)],
    [`warm ${language}`, () => warm(own.session, language)],
    [`cold ${language}`, () => first(own.executor, language)],
  ]);
  return {
    ...Object.fromEntries(ofOthers),
    echo: () => echo.shortLine(CALLS),
    warm: () => warm(session),
    leastRun: () => least.runs(CALLS),
    roundTrip: () => roundTrip(session),
    held: () => held(executor),
    echoProcessor: () => echo.processorTimeOfMessage(CALLS),
    callProcessor: () => callProcessor(session),
    parallel100: () => parallel(session, 100),
    parallel1000: () => parallel(session, 1000),
    roundTripBound: async () => boundOf(provider.name) * (await echo.shortLine(CALLS)),
    smallFile: () => smallFile(session),
    bigFile: () => withoutGarbage(() => bigFile(session)),
    echoBig: () => withoutGarbage(() => echo.tenMegabytes()),
    big: () => withoutGarbage(() => big(session)),
    start: () => floor.start(),
    startNode: () => floor.startNode(),
    cold: () => first(executor),
    pooled: async () => {
      await pooled.warmUp();
      const duration = await first(pooled);
      // The replacement must not start during the next measurement.
      await pooled.warmUp();
      return duration;
    },
    startRate: () => startRate(floor),
    poolRate: () => poolRate(pooled),
  };
}

/** Collects what was measured before, which left tens of megabytes, so that this one does not pay for it. */
async function withoutGarbage(measure) {
  await collectGarbage();
  return measure();
}

/** How many times its floor a round trip may take. */
function boundOf(providerName) {
  const { ratioAtMost } = ROWS.find(({ name }) => name === 'RTT').goals[providerName] ?? {};
  return ratioAtMost ?? RTT_BOUND;
}

/** Measurements that run once, separately. */
const ALONE = {
  batch,
  batchTurn,
  chatMemory,
  chats,
  coldPandas,
  flood,
  hostile,
  kill,
  largeHost,
  load,
  loadBySize,
  loadTurn,
  heldPrograms,
  many,
  mcpCall,
  plot,
  stop,
  stopStuck,
  storedChats,
  tenants,
  toolsAdd,
  toolsCold,
  toolsSearch,
  toolsWarm,
  async memory({ executor, floor }) {
    const here = await memoryOfEach(IDLE_SESSIONS, () => openIdleSession(executor));
    const bare = await memoryOfEach(IDLE_SESSIONS, async () => (await floor.openIdle()).close);
    const drops = `${here.drop.toFixed(1)} MiB each, ${floor.name} ${bare.drop.toFixed(1)} MiB`;
    return { value: here.taken, floor: bare.taken, notes: [`drop in MemAvailable: ${drops}`] };
  },
};

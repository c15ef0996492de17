// `npm run bench`: each path of each provider that works here, beside its floor from the same run.

import { loadProvider, PROVIDER_NAMES } from '../dist/providers/select-provider.js';
import { dockerFloor } from './floor-docker.mjs';
import { embeddedFloor } from './floor-embedded.mjs';
import { big, cold, memory, openExecutor, parallel, roundTrip, warm } from './measures.mjs';
import { memoryOfOthersBytes } from './memory.mjs';
import { interleave } from './statistics.mjs';

const ROUNDS = 7;
const COLD_ROUNDS = 5;
const IDLE_SESSIONS = 8;

const FLOORS = { docker: dockerFloor, embedded: embeddedFloor };

for (const name of PROVIDER_NAMES) {
  const provider = await loadProvider(name, (message) => console.error(message));
  const availability = await provider.probe();
  if (!availability.usable) {
    console.log(`\n${name}: not measured, ${availability.reason}\n`);
    await provider.close();
    continue;
  }
  console.log(`\n${availability.description}`);
  const floor = await FLOORS[name]();
  const executor = openExecutor(provider);
  try {
    printTable(await measure(executor, floor), floor.name);
  } finally {
    await executor.close();
    await provider.close();
    floor.close();
  }
}

async function measure(executor, floor) {
  const { sessionId } = await executor.execute('1', { reuseSession: true });
  const { echo, close } = await floor.openEcho();
  await echo.shortLine(100);
  const fast = await interleave(ROUNDS, {
    echo: () => echo.shortLine(500),
    warm: () => warm(executor, sessionId),
    roundTrip: () => roundTrip(executor, sessionId),
    parallel100: () => parallel(executor, sessionId, 100),
    parallel1000: () => parallel(executor, sessionId, 1000),
    echoBig: () => echo.tenMegabytes(),
    big: () => big(executor, sessionId),
  });
  await close();
  await executor.closeSession(sessionId);
  const slow = await interleave(COLD_ROUNDS, {
    start: () => floor.start(),
    cold: () => cold(executor),
  });
  return [
    ['COLD  first result of a new sandbox', slow.cold, slow.start],
    ['WARM  a run in a live session', fast.warm, fast.echo],
    ['RTT   a tool call, one after another', fast.roundTrip, fast.echo],
    ['PAR   100 tools of 50 ms at once', fast.parallel100, 50],
    ['PAR   1,000 tools of 50 ms at once', fast.parallel1000, 50],
    ['BIG   a tool result of 10 MB', fast.big, fast.echoBig],
    [
      `MEM   one of ${IDLE_SESSIONS} idle sessions (MiB)`,
      await memory(executor, IDLE_SESSIONS),
      await idleFloor(floor),
    ],
  ];
}

async function idleFloor(floor) {
  const before = await memoryOfOthersBytes();
  const idle = [];
  for (let index = 0; index < IDLE_SESSIONS; index += 1) idle.push(await floor.openIdle());
  const taken = (await memoryOfOthersBytes()) - before;
  for (const { close } of idle) await close();
  return taken / IDLE_SESSIONS / 1024 / 1024;
}

function printTable(rows, floorName) {
  const line = (label, ...cells) =>
    console.log(label.padEnd(44) + cells.map((cell) => cell.padStart(16)).join(''));
  line('', 'here (ms)', floorName, 'ratio');
  for (const [label, value, floorValue] of rows) {
    line(label, format(value), format(floorValue), `${(value / floorValue).toFixed(2)}x`);
  }
}

function format(value) {
  return value < 10 ? value.toFixed(3) : value.toFixed(1);
}

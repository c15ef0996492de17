// Counts what is still there: in this process, its child processes, and the engine.

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage } from '../memory.mjs';

/** The growth of the heap that compiled code and caches explain. */
const HEAP_TOLERANCE_BYTES = 8 * 1024 * 1024;
const SETTLE_MS = 60_000;
const LOOK_INTERVAL_MS = 500;

/**
 * Counts everything that a session uses.
 * @param {object} engine - From `openEngine`, or one without containers.
 * @param {ReadonlyMap<number, string>} strays - Processes of killed hosts: id and start time.
 */
export async function count(engine, strays) {
  await collectGarbage();
  const containers = await engine.countContainers();
  const runners = (await engine.countProcesses()) + (await countAlive(strays));
  // The connections of this check do not belong to the package.
  engine.close();
  await delay(LOOK_INTERVAL_MS);
  const active = {};
  for (const name of process.getActiveResourcesInfo()) {
    active[`active ${name}`] = (active[`active ${name}`] ?? 0) + 1;
  }
  return {
    ...active,
    containers,
    'runner processes': runners,
    'child processes': (await processTree(process.pid)).size,
    descriptors: (await readdir('/proc/self/fd')).length,
    heapBytes: process.memoryUsage().heapUsed,
  };
}

/** Counts until nothing is left beyond `start`, or until it is clear that something stays. */
export async function countUntilSettled(engine, strays, start) {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const now = await count(engine, strays);
    const left = leftovers(start, now);
    if (left.length === 0 || performance.now() > deadline) return { now, left };
  }
}

/** Describes what there is more of than at the start. */
function leftovers(start, now) {
  return Object.entries(now).flatMap(([name, value]) => {
    const before = start[name] ?? 0;
    const tolerance = name === 'heapBytes' ? HEAP_TOLERANCE_BYTES : 0;
    return value > before + tolerance ? [`${name}: ${before} at the start, ${value} now`] : [];
  });
}

/** The descendants of a process: id and start time, which no later process with that id has. */
export async function processTree(rootId) {
  const names = await readdir('/proc');
  const all = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readProcess));
  const tree = new Map();
  const visit = (parentId) => {
    for (const child of all) {
      if (child?.parentId !== parentId) continue;
      tree.set(child.id, child.startTime);
      visit(child.id);
    }
  };
  visit(rootId);
  return tree;
}

async function countAlive(strays) {
  const alive = await Promise.all(
    [...strays].map(async ([id, startTime]) => (await readProcess(id))?.startTime === startTime),
  );
  return alive.filter(Boolean).length;
}

async function readProcess(id) {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { id: Number(id), parentId: Number(fields[1]), startTime: fields[19] };
}

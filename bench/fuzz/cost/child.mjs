// Tries inputs in a separate process, which an input may block or end.

import { ftruncateSync, openSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { costOf, DEADLINE_MS, leastCost, processMs, REPEATS } from './measure.mjs';
import { Search } from './search.mjs';
import { bytesOf, render } from './shapes.mjs';

const [targetsUrl, currentPath] = process.argv.slice(2);
const { TARGETS } = await import(targetsUrl);
/** The current input, in case this process ends. */
const current = openSync(currentPath, 'w');
const state = new Int32Array(new SharedArrayBuffer(8));
const watchdog = new Worker(new URL('watchdog.mjs', import.meta.url), { workerData: { state } });
watchdog.unref();
/**
 * If a target waits for other processes, its slice of time ends after this multiple of its length.
 */
const MOST_WAITING = 2;
const made = new Map();
const searches = new Map();

process.on('message', (job) => {
  answer(job).then((result) => process.send(result), endWith);
});
process.once('disconnect', () => process.exit());
process.send('ready');

async function answer(job) {
  const target = made.get(job.target) ?? (await make(job.target));
  const started = { cpuMs: processMs(), wallMs: Date.now() };
  const usedMs = () =>
    Math.max(processMs() - started.cpuMs, (Date.now() - started.wallMs) / MOST_WAITING);
  if (job.kind === 'replay') return { cpuMs: await attempt(target, job.input, leastCost) };
  const search = searchFor(job, target);
  if (job.kind === 'harmless') {
    const { shape, n } = job;
    const harmlessMs = await search.harmlessCost(bytesOf(shape, n));
    return { harmlessMs, canArrive: search.canArrive(shape, n) };
  }
  if (job.kind === 'compare') {
    const { shape, n } = job;
    const harmlessMs = await search.harmlessCost(bytesOf(shape, n));
    return { harmlessMs, cpuMs: await attempt(target, render(shape, n), leastCost, { shape, n }) };
  }
  if (job.kind === 'try') {
    const { shape, n } = job;
    return { cpuMs: await attempt(target, render(shape, n), costOf, { shape, n }) };
  }
  await search.goOn(() => usedMs() >= job.sliceMs, job);
  const worst = await search.confirmWorst();
  return { ...search.takeReport(), worst, usedMs: usedMs() };
}

/** Reports a bug of the fuzzer, or a target that cannot be created. */
function endWith(error) {
  console.error(error.stack);
  process.exit(1);
}

async function make(name) {
  const target = await TARGETS.find((each) => each.name === name).make();
  made.set(name, target);
  return target;
}

function searchFor({ target: name, seed, shapes = Infinity, from = 0 }, target) {
  const known = searches.get(name);
  if (known !== undefined) return known;
  const step = Math.max(1, Math.ceil(target.shapes.length / shapes));
  const chosen = target.shapes.filter((_shape, index) => index % step === 0);
  const search = new Search(
    { ...target, shapes: chosen },
    {
      seed,
      from,
      attempt: ({ shape, n, index = 0 }, measure = costOf) =>
        attempt(target, render(shape, n), measure, { target: name, shape, n, index }),
    },
  );
  searches.set(name, search);
  return search;
}

/** Measures one input, supervised by the watchdog. */
async function attempt(target, input, measure, about = {}) {
  ftruncateSync(current, writeSync(current, `${JSON.stringify(about)}\n`, 0));
  Atomics.add(state, 0, 1);
  const runs = measure === leastCost ? REPEATS : 1;
  Atomics.store(state, 1, runs * (target.deadlineMs ?? DEADLINE_MS));
  try {
    return await measure(target, input);
  } finally {
    Atomics.store(state, 1, 0);
  }
}

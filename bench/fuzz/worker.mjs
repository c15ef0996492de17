// Tries inputs in a thread of its own, so that one that never returns can be ended.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { StreamTransport } from '../../dist/protocol/stream-transport.js';
import { StreamDemultiplexer } from '../../dist/providers/docker/attach.js';
import { PtcError } from '../../dist/shared/errors.js';
import { seededRandom } from '../soak/random.mjs';
import { watchCoverage } from './coverage.mjs';
import { firstInputs, tokens } from './inputs.mjs';
import { makeMutator } from './mutations.mjs';
import { makeJudge } from './target.mjs';

/** Counting takes longer than an input, so it is done for many. */
const BATCH = 100;
/** What a thread may hold beyond what it began with, its corpus aside. */
const GROWTH_BYTES = 32 * 1024 * 1024;
const REPORT_BATCHES = 200;

const { seed, endsAt, current } = workerData;
/** The input that is tried, for whoever finds this thread stuck: its length, then its bytes. */
const place = { length: new Int32Array(current, 0, 1), bytes: Buffer.from(current, 4) };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const judge = makeJudge({ StreamTransport, StreamDemultiplexer, PtcError });
const random = seededRandom(seed);
const corpus = [];
const mutate = makeMutator(random, tokens(), corpus);
const coverage = await watchCoverage((url) => /dist\/(protocol|shared)\/|attach\.js$/.test(url));
let tried = 0;

for (const input of firstInputs()) {
  await attempt(input);
  await coverage.remember();
  corpus.push(input);
}
collectGarbage();
const heapAtStart = process.memoryUsage().heapUsed;
for (let batch = 1; Date.now() < endsAt; batch += 1) {
  const inputs = Array.from({ length: BATCH }, () => mutate(choose()));
  for (const input of inputs) await attempt(input);
  // A transport ends its turn then, and would be kept until it has.
  await nextTurn();
  if (await coverage.hasMore()) await keepWhatReachesMore(inputs);
  if (batch % REPORT_BATCHES === 0) report();
}
report();

async function attempt(input) {
  input.copy(place.bytes);
  Atomics.store(place.length, 0, input.length);
  tried += 1;
  try {
    await judge(input);
  } catch (error) {
    parentPort.postMessage({ crash: Buffer.from(input), why: error.stack });
  }
}

/** Later finds are less worked over, so they come more often. */
function choose() {
  const from = random.integer(0, 1) === 0 ? 0 : Math.floor(corpus.length / 2);
  return corpus[random.integer(from, corpus.length - 1)];
}

/** A batch has reached more: those of its inputs are kept that do so alone. */
async function keepWhatReachesMore(inputs) {
  for (const input of inputs) {
    await attempt(input);
    if (await coverage.remember()) corpus.push(input);
  }
}

function report() {
  collectGarbage();
  const growth = process.memoryUsage().heapUsed - heapAtStart;
  if (growth > GROWTH_BYTES) parentPort.postMessage({ growth });
  parentPort.postMessage({ tried, kept: corpus.length, reached: coverage.size() });
}

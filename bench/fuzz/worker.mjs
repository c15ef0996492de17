// Tries inputs in a separate thread, which can be ended if an input never returns.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { StreamTransport } from '../../dist/protocol/stream-transport.js';
import { StreamDemultiplexer } from '../../dist/providers/docker/container/attach.js';
import { PtcError } from '../../dist/shared/errors.js';
import { seededRandom } from '../soak/random.mjs';
import { watchCoverage } from './coverage.mjs';
import { firstInputs, tokens } from './inputs.mjs';
import { makeMutator } from './mutations.mjs';
import { makeJudge } from './target.mjs';

/** Counting takes longer than an input, so many inputs are counted together. */
const BATCH = 100;
/** How much memory a thread may use in addition to its initial memory and its corpus. */
const GROWTH_BYTES = 32 * 1024 * 1024;
const REPORT_BATCHES = 200;

const { seed, endsAt, mostInputs, current } = workerData;
/** The current input, in case this thread hangs: its length, then its bytes. */
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
for (let batch = 1; Date.now() < endsAt && tried < mostInputs; batch += 1) {
  const inputs = Array.from({ length: BATCH }, () => mutate(choose()));
  for (const input of inputs) await attempt(input);
  // A transport ends in the next turn, and would be kept until then.
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

/** Later finds have had fewer mutations, so they are chosen more often. */
function choose() {
  const from = random.integer(0, 1) === 0 ? 0 : Math.floor(corpus.length / 2);
  return corpus[random.integer(from, corpus.length - 1)];
}

/** A batch has reached new code: keeps those of its inputs that reach it alone. */
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

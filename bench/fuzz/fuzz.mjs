// `npm run fuzz`: searches for bytes from a sandbox that the host handles incorrectly.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { SEEDS } from './inputs.mjs';

const HELP = `npm run fuzz -- [options]

Sends mutated frames to the code that reads a sandbox's output, and continues with those that reach new
code. Inputs that fail are written to test/fuzz/seeds, where the tests use them.

  --minutes N        how long (default 1)
  --inputs N         how many inputs, however long they take
  --seed N           repeats the choices of the run that printed it
  --help             this text

The exit status is 1 if an input did not end in a typed error, its result depended on where it was cut,
it took too long, or it made memory grow.
`;

const MINUTE_MS = 60_000;
/** The time limit of one input. The longest inputs take milliseconds. */
const HANG_MS = 5000;
const HEAP_MEGABYTES = 256;
const INPUT_BYTES = 1 << 16;
/** Further faults tell nothing new. */
const MOST_CRASHES = 10;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    inputs: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) process.stdout.write(HELP);
else await main(number('seed'), workLimit());

async function main(seed, { endsAt, mostInputs, inWords }) {
  console.log(`${inWords}, seed ${seed}`);
  const current = new SharedArrayBuffer(4 + INPUT_BYTES);
  const worker = new Worker(new URL('worker.mjs', import.meta.url), {
    workerData: { seed, endsAt, mostInputs, current },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
  });
  const faults = [];
  const end = () => {
    worker.terminate().catch((error) => found(`the thread did not end: ${error.message}`));
  };
  const found = (what, input) => {
    // One input for each fault is enough. The first lines identify a fault.
    const isKnown = faults.some((fault) => firstLines(fault) === firstLines(what));
    if (isKnown) return;
    faults.push(what);
    console.error(`WRONG: ${what}\n  ${save(input)}`);
    if (faults.length >= MOST_CRASHES) end();
  };
  let last;
  worker.on('message', ({ crash, why, growth, ...progress }) => {
    if (crash !== undefined) return found(why, Buffer.from(crash));
    if (growth !== undefined) return found(`memory grew by ${growth} bytes`, inputOf(current));
    last = progress;
  });
  const watch = watchForHang(current, () => {
    found(`it took more than ${HANG_MS} ms`, inputOf(current));
    end();
  });
  await new Promise((resolve) => {
    worker.once('error', (error) => found(`the thread ended: ${error.stack}`, inputOf(current)));
    worker.once('exit', resolve);
  });
  clearInterval(watch);
  if (last === undefined) faults.push('nothing was tried');
  const { tried = 0, kept = 0, reached = 0 } = last ?? {};
  console.log(`${tried} inputs tried, ${kept} kept, ${reached} characters of code reached`);
  console.log(faults.length === 0 ? 'nothing went wrong' : `${faults.length} went wrong`);
  if (faults.length > 0) process.exitCode = 1;
}

/** Calls back once if the same input is tried for too long. */
function watchForHang(current, onHang) {
  let [before, since] = [undefined, Date.now()];
  const timer = setInterval(() => {
    const now = inputOf(current).toString('latin1');
    if (now !== before || now === '') [before, since] = [now, Date.now()];
    if (Date.now() - since < HANG_MS) return;
    clearInterval(timer);
    onHang();
  }, 500);
  return timer;
}

/** The input that the thread is trying. */
function inputOf(current) {
  const length = Atomics.load(new Int32Array(current, 0, 1), 0);
  return Buffer.from(Buffer.from(current, 4, length));
}

function firstLines(text) {
  return text.split('\n').slice(0, 2).join('\n');
}

/** @returns The path of the file. */
function save(input) {
  const name = createHash('sha256').update(input).digest('hex').slice(0, 16);
  const url = new URL(`${name}.bin`, SEEDS);
  writeFileSync(url, input);
  return fileURLToPath(url);
}

/** When the search ends. */
function workLimit() {
  if (options.inputs !== undefined) {
    const mostInputs = number('inputs');
    return { endsAt: Infinity, mostInputs, inWords: `${mostInputs} inputs` };
  }
  const minutes = number('minutes');
  const endsAt = Date.now() + minutes * MINUTE_MS;
  return { endsAt, mostInputs: Infinity, inWords: `${minutes} minutes` };
}

function number(name) {
  const value = Number(options[name]);
  if (value >= 0 && options[name] !== '') return value;
  throw new Error(`--${name} must be a number that is not negative, not ${options[name]}.`);
}

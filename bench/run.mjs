// `npm run bench`: each path of each provider that works here, beside its floor from the same run.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { loadProvider, PROVIDER_NAMES } from '../dist/providers/select-provider.js';
import { dockerFloor } from './floor-docker.mjs';
import { embeddedFloor } from './floor-embedded.mjs';
import { compareRuns } from './judge.mjs';
import { currentLoad, machineFacts } from './machine.mjs';
import { measureRows } from './measure-rows.mjs';
import { printChanges, printRows } from './report.mjs';
import { chooseRows, ROWS } from './rows.mjs';

const HELP = `npm run bench -- [options]

Measures each path of the product beside its floor, both in the same run, and prints the ratio, the
goal and whether it is met. Figures of a busy machine are noise: look at the load that is printed too.

  --only ROW[,ROW]   only these rows: ${ROWS.map(({ name }) => name).join(', ')}
  --provider NAME    only this provider: ${PROVIDER_NAMES.join(' or ')}
  --long             also MANY, which takes minutes and some 3 GB of memory
  --minutes N        how long MANY runs (default 5)
  --json FILE        where the figures go (default bench/results/latest.json)
  --compare FILE     what got faster or slower since the run whose figures FILE holds;
                     the exit status is 1 where a row got worse by more than 10 %
  --help             this text
`;

const FLOORS = { docker: dockerFloor, embedded: embeddedFloor };

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    provider: { type: 'string' },
    long: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '5' },
    json: { type: 'string', default: 'bench/results/latest.json' },
    compare: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) process.stdout.write(HELP);
else await main();

async function main() {
  const rows = chooseRows(options.only, options.long);
  const names = chooseProviders(options.provider);
  const minutes = Number(options.minutes);
  if (!(minutes > 0))
    throw new Error(`--minutes must be a positive number, not ${options.minutes}.`);
  // First, for the file may be the one that is written at the end.
  const earlier = options.compare && JSON.parse(await readFile(options.compare, 'utf8'));
  const machine = machineFacts();
  const { processors, processor, node, load } = machine;
  console.log(`${processors} processors (${processor}), Node ${node}, load ${load.toFixed(2)}`);
  const providers = {};
  for (const name of names) {
    const measured = await measureProvider(name, rows, minutes);
    if (measured !== undefined) providers[name] = measured;
  }
  const loadAfter = currentLoad();
  console.log(`\nload afterwards ${loadAfter.toFixed(2)}`);
  const run = { date: new Date().toISOString(), machine: { ...machine, loadAfter }, providers };
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify(run, undefined, 2)}\n`);
  console.log(`figures: ${options.json}`);
  if (earlier === undefined) return;
  const changes = compareRuns(earlier, run);
  printChanges(changes, earlier.date);
  if (changes.some(({ worse }) => worse)) process.exitCode = 1;
}

/** One provider's rows, printed; undefined where the provider does not work here. */
async function measureProvider(name, rows, minutes) {
  const onProgress = (message) => console.error(message);
  const provider = await loadProvider(name, onProgress);
  try {
    const availability = await provider.probe();
    if (!availability.usable) {
      console.log(`\n${name}: not measured, ${availability.reason}`);
      return undefined;
    }
    const { description } = availability;
    const floor = await FLOORS[name](onProgress);
    try {
      const judged = await measureRows(rows, { provider, floor, minutes, onProgress });
      console.log(`\n${description}`);
      printRows(judged, floor.name);
      const named = judged.map(([row, result]) => [row.name, result]);
      return { description, rows: Object.fromEntries(named) };
    } finally {
      await floor.close();
    }
  } finally {
    await provider.close();
  }
}

function chooseProviders(name) {
  if (name === undefined) return PROVIDER_NAMES;
  if (PROVIDER_NAMES.includes(name)) return [name];
  throw new Error(`There is no provider ${name}. Use ${PROVIDER_NAMES.join(' or ')}.`);
}

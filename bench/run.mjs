// `npm run bench`: measures each provider that works here, each figure with its floor from the same
// run.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadProvider, PROVIDER_NAMES } from '../dist/providers/select-provider.js';
import { bubblewrapFloor } from './floor-bubblewrap.mjs';
import { dockerFloor } from './floor-docker.mjs';
import { embeddedFloor } from './floor-embedded.mjs';
import { compareRuns } from './judge.mjs';
import { currentLoad, machineFacts } from './machine.mjs';
import { measureRows } from './measure-rows.mjs';
import { helpText, readOptions } from './options.mjs';
import { printChanges, printRows } from './report.mjs';

const FLOORS = { docker: dockerFloor, bubblewrap: bubblewrapFloor, embedded: embeddedFloor };
const WRONG_USE = 2;

// A kubeconfig may lead to any cluster.
const names = PROVIDER_NAMES.filter((name) => name !== 'kubernetes');
const options = await readOptions(process.argv.slice(2), names).catch((error) => {
  console.error(`${error.message}\nnpm run bench -- --help lists the options.`);
  process.exit(WRONG_USE);
});
if (options.help) process.stdout.write(helpText(names));
else await main(options);

async function main({ providerNames, json, earlier, ...wanted }) {
  await mkdir(dirname(json), { recursive: true });
  const machine = machineFacts();
  const { processors, processor, node, load } = machine;
  console.log(`${processors} processors (${processor}), Node ${node}, load ${load.toFixed(2)}`);
  const providers = {};
  for (const name of providerNames) {
    const measured = await measureProvider(name, wanted);
    if (measured !== undefined) providers[name] = measured;
  }
  const loadAfter = currentLoad();
  console.log(`\nload afterwards ${loadAfter.toFixed(2)}`);
  const run = { date: new Date().toISOString(), machine: { ...machine, loadAfter }, providers };
  await writeFile(json, `${JSON.stringify(run, undefined, 2)}\n`);
  console.log(`figures: ${json}`);
  if (earlier === undefined) return;
  const changes = compareRuns(earlier, run);
  printChanges(changes, earlier.date);
  if (changes.some(({ worse }) => worse)) process.exitCode = 1;
}

/** Measures and prints the rows of one provider; undefined if it does not work here. */
async function measureProvider(name, { rows, minutes, sessions }) {
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
      const judged = await measureRows(rows, { provider, floor, minutes, sessions, onProgress });
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

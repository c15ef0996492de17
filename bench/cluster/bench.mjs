// `npm run bench:cluster`: measures sandboxes in a Kubernetes cluster, each figure with its floor from the same run. It
// uses the cluster of `scripts/test-cluster.sh`, and no other.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Cluster } from '../../dist/providers/kubernetes/cluster/cluster.js';
import { currentLoad, machineFacts } from '../machine.mjs';
import { printRows } from '../report.mjs';
import { install, loadImage } from './installation.mjs';
import { HELP, readOptions } from './options.mjs';
import { directoryOf } from './outages.mjs';
import { judge } from './rows.mjs';

const WRONG_USE = 2;

const options = readOptionsOrExit();
if (options.help) process.stdout.write(HELP);
else await main(options);

function readOptionsOrExit() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\nnpm run bench:cluster -- --help lists the options.`);
    return process.exit(WRONG_USE);
  }
}

async function main({ rows, amount, json }) {
  const kubeconfig = process.env.SANDBOXED_PTC_TEST_KUBECONFIG;
  if (kubeconfig === undefined) throw new Error('Run it with: npm run bench:cluster');
  process.env.KUBECONFIG = kubeconfig;
  const machine = machineFacts();
  const { processors, processor, node, load } = machine;
  console.log(`${processors} processors (${processor}), Node ${node}, load ${load.toFixed(2)}`);
  const cluster = await Cluster.find({});
  const image = await loadImage((message) => console.error(message));
  const directory = directoryOf(kubeconfig);
  const results = [];
  for (const row of rows) {
    const installed = [];
    const useNamespace = async (pool) => {
      const one = await install(cluster, { image, pool });
      installed.push(one);
      return one.namespace;
    };
    console.error(`${row.name}: ${row.label}`);
    try {
      const measured = await row.measure({ cluster, image, directory, amount, useNamespace });
      if (measured === undefined) console.log(`${row.name}: not measured, the provider has none`);
      else results.push([row, judge(row, measured)]);
    } finally {
      for (const { remove } of installed) await remove();
    }
  }
  cluster.close();
  console.log(`\nKubernetes at ${cluster.server}`);
  printRows(results, 'floor');
  const loadAfter = currentLoad();
  console.log(`\nload afterwards ${loadAfter.toFixed(2)}`);
  await mkdir(dirname(json), { recursive: true });
  const named = Object.fromEntries(results.map(([{ name }, result]) => [name, result]));
  const run = { date: new Date().toISOString(), machine: { ...machine, loadAfter }, rows: named };
  await writeFile(json, `${JSON.stringify(run, undefined, 2)}\n`);
  console.log(`figures: ${json}`);
}

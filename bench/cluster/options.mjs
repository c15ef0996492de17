// The options of `npm run bench:cluster`.

import { parseArgs } from 'node:util';
import { ROWS } from './rows.mjs';

/** How much each row measures: enough for figures, or just so much that one sees whether it works. */
const AMOUNTS = {
  full: { rounds: 15, starts: 10, claims: 3600, kills: 20, pods: 4 },
  short: { rounds: 3, starts: 2, claims: 80, kills: 2, pods: 1 },
};

export const HELP = `npm run bench:cluster -- [options]

Measures sandboxes in a Kubernetes cluster on this machine, each figure beside its floor from the same run.
Needs root on Debian 12, and a container engine, which has the image. Takes some 20 minutes.

  --only ROW[,ROW]   only these rows: ${ROWS.map(({ name }) => name).join(', ')}
  --short            a few rounds of each row, and 80 claims instead of 3,600
  --json FILE        the file for the figures (default bench/results/cluster.json)
  --help             this text
`;

/** @throws Error with what is wrong with the command line. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      short: { type: 'boolean', default: false },
      json: { type: 'string', default: 'bench/results/cluster.json' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    json: values.json,
    rows: chooseRows(values.only),
    amount: values.short ? AMOUNTS.short : AMOUNTS.full,
  };
}

function chooseRows(only) {
  if (only === undefined) return ROWS;
  const names = only.split(',');
  const unknown = names.find((name) => !ROWS.some((row) => row.name === name));
  if (unknown !== undefined) throw new Error(`there is no row ${unknown}`);
  return ROWS.filter(({ name }) => names.includes(name));
}

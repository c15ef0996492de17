// The options of `npm run bench`.

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { chooseRows, ROWS } from './rows.mjs';

/** The help text. */
export function helpText(providerNames) {
  return `npm run bench -- [options]

Measures each path of the product beside its floor, both in the same run, and prints the ratio, the
goal and whether it is met. Figures of a busy machine are noise: look at the load that is printed too.

  --only ROW[,ROW]   only these rows: ${ROWS.map(({ name }) => name).join(', ')}
  --provider NAME    only this provider: ${providerNames.join(' or ')}
  --long             also TENANTS, MANY, HELD-MANY and HOSTILE, which take minutes, two of them 3 GB of memory
  --minutes N        how long MANY runs (default 5)
  --sessions N       how many sessions MANY and HELD-MANY open (default 200)
  --json FILE        the file for the figures (default bench/results/latest.json)
  --compare FILE     compares with the run whose figures are in FILE;
                     the exit status is 1 if a row became worse by more than 10 %
  --help             this text
`;
}

/**
 * Parses a command line.
 * @param {readonly string[]} args
 * @param {readonly string[]} providerNames - The providers that can be measured.
 * @throws Error with what is wrong with it.
 */
export async function readOptions(args, providerNames) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      provider: { type: 'string' },
      long: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '5' },
      sessions: { type: 'string', default: '200' },
      json: { type: 'string', default: 'bench/results/latest.json' },
      compare: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    rows: chooseRows(values.only, values.long),
    providerNames: chooseProviders(values.provider, providerNames),
    minutes: positive('minutes', values.minutes),
    sessions: Math.ceil(positive('sessions', values.sessions)),
    json: values.json,
    // Read now, because it may be the file that is written at the end.
    earlier: values.compare === undefined ? undefined : await readFigures(values.compare),
  };
}

function chooseProviders(name, names) {
  if (name === undefined) return names;
  if (names.includes(name)) return [name];
  throw new Error(`Unknown provider ${name}. Use ${names.join(' or ')}.`);
}

function positive(option, text) {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${option} must be a positive number, not ${text}.`);
}

/** The figures of an earlier run, as written by `--json`. */
async function readFigures(path) {
  let figures;
  try {
    figures = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new Error(`--compare cannot read ${path}: ${cause.message}`, { cause });
  }
  if (typeof figures?.providers === 'object' && figures.providers !== null) return figures;
  throw new Error(`--compare needs figures that --json wrote; ${path} holds none.`);
}

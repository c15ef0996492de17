// `npm run fuzz:cost`: searches for inputs from a sandbox or a model that take the host much
// processor time.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ChildProcess } from './child-process.mjs';
import { fuzzCost } from './fuzz-cost.mjs';
import { describeFinding, saveFinding, table } from './report.mjs';
import { TARGETS } from './targets/targets.mjs';

const HELP = `npm run fuzz:cost -- [options]

Passes inputs of up to 64 kB to each function of the host that reads what a sandbox or a model wrote, and
continues with those that take most processor time. An input is a finding if it takes more than 50 ms and
20 times as long as a plain one of its size, or if it throws or ends the process. If the time grows faster
than the size, inputs of up to 1 MiB are tried too.

  --minutes N        how long, as processor time of each of two processes (default 1)
  --shapes N         N of the inputs that each target defines, and no mutations: the same work each time
  --seed N           repeats the choices of the run that printed it
  --only TEXT        only targets with this in their names; repeatable
  --replay FILE      measures the input of a finding, and nothing else
  --list             lists the targets
  --help             this text

The exit status is 1 if there is a finding.
`;

const PROCESSES = 2;
const TARGETS_URL = new URL('targets/targets.mjs', import.meta.url);

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    shapes: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    only: { type: 'string', multiple: true, default: [''] },
    replay: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const directory = mkdtempSync(join(tmpdir(), 'sandboxed-ptc-fuzz-cost-'));
let isEmpty = true;
try {
  if (options.help) process.stdout.write(HELP);
  else if (options.list) for (const { name, of } of TARGETS) console.log(`${name}: ${of}`);
  else if (options.replay !== undefined) await replay(options.replay);
  else if (options.shapes !== undefined) await main({ shapes: number('shapes') }, number('seed'));
  else await main({ minutes: number('minutes') }, number('seed'));
} finally {
  if (isEmpty) rmSync(directory, { recursive: true });
}

/** @param work - The time in `minutes`, or the number of `shapes` of each target. */
async function main(work, seed) {
  const names = TARGETS.map(({ name }) => name).filter((name) =>
    options.only.some((part) => name.includes(part)),
  );
  if (names.length === 0)
    throw new Error(`No target has ${options.only.join(' or ')} in its name; see --list.`);
  const amount = Object.entries(work).map(([unit, count]) => `${count} ${unit}`);
  console.log(`${amount.join()}, seed ${seed}, ${names.length} targets`);
  const onFinding = ({ name }, finding) => {
    isEmpty = false;
    const path = saveFinding(directory, name, finding);
    console.error(`FOUND: ${name}: ${describeFinding(finding)}\n  ${path}`);
  };
  const search = { targets: TARGETS_URL, names, ...work, seed, directory, processes: PROCESSES };
  const rows = await fuzzCost({ ...search, onFinding });
  console.log(table(rows));
  const found = rows.reduce((sum, { findings }) => sum + findings.length, 0);
  console.log(found === 0 ? 'nothing takes too long' : `${found} found; --replay FILE repeats one`);
  const untried = rows.filter(({ tried }) => tried === 0).map(({ name }) => name);
  if (untried.length > 0) console.error(`not tried for want of time: ${untried.join(', ')}`);
  if (found > 0 || untried.length > 0) process.exitCode = 1;
}

async function replay(path) {
  const { target, input } = JSON.parse(readFileSync(path, 'utf8'));
  const child = new ChildProcess({ targets: TARGETS_URL, directory, name: 'replay' });
  await child.ready();
  const { answer, death } = await child.ask({ kind: 'replay', target, input });
  child.kill();
  console.log(death ? death.why : `${target}: ${answer.cpuMs.toFixed(2)} ms of processor time`);
}

function number(name) {
  const value = Number(options[name]);
  if (value >= 0 && options[name] !== '') return value;
  throw new Error(`--${name} must be a number that is not negative, not ${options[name]}.`);
}

// `npm run test:fidelity`: runs test suites of others in each sandbox and in the plain interpreter.

import { parseArgs } from 'node:util';
import { PROVIDER_NAMES as ALL_NAMES } from '../../dist/providers/select-provider.js';
import { readKnown } from './known.mjs';
import { PARTS } from './parts/parts.mjs';
import { probePlace, withPlace } from './places.mjs';
import { planLine } from './report.mjs';
import { runPart } from './run-part.mjs';
import { suitesDirectory } from './suites.mjs';

// A kubeconfig may lead to any cluster.
const PROVIDER_NAMES = ALL_NAMES.filter((name) => name !== 'kubernetes');

/** Where parts run that need no sandbox. */
const THIS_PROCESS = { name: 'this process', languages: [] };
const PART_NAMES = PARTS.map(({ name }) => name);

const HELP = `npm run test:fidelity -- [options]

Runs test suites of others in each sandbox, and in the plain interpreter of the same version outside of
it. Prints the differences that are not in the lists of bench/fidelity/known.

  --part NAME        only this part; repeatable:
${PARTS.map(({ name, what }) => `                       ${name.padEnd(11)}${what}`).join('\n')}
  --provider NAME    only sandboxes of this provider; repeatable: ${PROVIDER_NAMES.join(', ')}
  --filter TEXT      only tests with this in their names
  --suites DIR       the directory of suites that are not packages (default ${suitesDirectory()})
  --help             this text

It prints each difference when it finds it. If it is interrupted (Ctrl-C, or SIGTERM from \`timeout\`), it
prints what it has found until then.

The exit status is 1 if there is a difference that is not in the lists or a line of the lists without a
difference, if not all tests were run to the end, or if nothing was run.
`;

const { values: options } = parseArgs({
  options: {
    part: { type: 'string', multiple: true, default: PART_NAMES },
    provider: { type: 'string', multiple: true, default: [...PROVIDER_NAMES] },
    filter: { type: 'string', default: '' },
    suites: { type: 'string', default: suitesDirectory() },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) process.stdout.write(HELP);
else await main();

async function main() {
  expectKnown('part', options.part, PART_NAMES);
  expectKnown('provider', options.provider, PROVIDER_NAMES);
  const signal = signalOfInterruption();
  const plan = await findRuns(await availableSandboxes(options.provider));
  for (const { part, title, name } of plan) console.log(planLine(title, part, name));
  const found = [];
  for (const run of plan) {
    if (!signal.aborted) found.push(await runIn(run, signal));
  }
  const [tests, unlisted, gone] = ['tests', 'unlisted', 'gone'].map((key) =>
    found.reduce((sum, result) => sum + result[key], 0),
  );
  const notWhole = plan.length - found.filter(({ stopped }) => stopped === undefined).length;
  const counts = [`${tests} tests run`, `${unlisted} differ beyond the lists`];
  console.log([...counts, `${gone} listed in vain`, `${notWhole} parts not whole`].join(', '));
  if (tests === 0 || unlisted + gone + notWhole > 0) process.exitCode = 1;
}

/** A second signal ends this process as usual. */
function signalOfInterruption() {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.once(name, () => interruption.abort(`it was interrupted by ${name}`));
  }
  return interruption.signal;
}

async function availableSandboxes(names) {
  const available = [];
  for (const name of names) {
    const sandbox = await probePlace(name);
    if (sandbox.obstacle === undefined) available.push(sandbox);
    else console.log(`${name}: not run: ${sandbox.obstacle}`);
  }
  return available;
}

/** Finds what can be run: each part in each sandbox and language. Prints what cannot. */
async function findRuns(sandboxes) {
  const runs = [];
  for (const part of PARTS.filter(({ name }) => options.part.includes(name))) {
    for (const { name, languages } of part.languages.length === 0 ? [THIS_PROCESS] : sandboxes) {
      const { path, image, missing, remedy } = await part.find(name, options.suites);
      const title = `${part.name} in ${name}`;
      if (missing !== undefined) {
        console.log(`${title}: not run: ${missing}`);
        if (remedy !== undefined) console.log(`To get it:\n${remedy}`);
      } else if (part.languages.length === 0) {
        runs.push({ part, title, name, path });
      } else {
        for (const language of part.languages) {
          const run = { part, title, name, path, image, language };
          if (part.languages.length > 1) run.title = `${title}, ${language}`;
          if (languages.includes(language)) runs.push(run);
          else console.log(`${run.title}: not run: ${name} has no ${language}`);
        }
      }
    }
  }
  return runs;
}

async function runIn({ part, title, name, path, image, language }, signal) {
  const request = { suite: path, isChosen: (id) => id.includes(options.filter) };
  const [own, ...others] = part.known.map((list) => readKnown(list));
  const settings = {
    title,
    place: name,
    unit: part.unit,
    lists: { own, others: others.flat() },
    isFiltered: options.filter !== '',
    signal,
    print: (line) => console.log(line),
  };
  if (language === undefined) return runPart(part.run(request), settings);
  return withPlace({ name, image, signal }, (place) =>
    runPart(part.run(request, place, language), settings),
  );
}

function expectKnown(option, names, known) {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Error(`--${option} must be ${known.join(' or ')}, not ${unknown}.`);
}

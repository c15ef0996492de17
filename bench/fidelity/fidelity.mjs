// `npm run test:fidelity`: runs test suites of others in each sandbox and in the plain interpreter.

import { parseArgs } from 'node:util';
import { PROVIDER_NAMES } from '../../dist/providers/select-provider.js';
import { judge, readKnown } from './known.mjs';
import { PARTS } from './parts/parts.mjs';
import { findObstacle, withPlace } from './places.mjs';
import { details, summaryLine } from './report.mjs';
import { suitesDirectory } from './suites.mjs';

/** Where parts run that need no sandbox. */
const THIS_PROCESS = 'this process';
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

The exit status is 1 if there is a difference that is not in the lists, or if nothing was run.
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
  const found = [];
  const names = await availableSandboxes(options.provider);
  for (const part of PARTS.filter(({ name }) => options.part.includes(name))) {
    for (const name of part.languages.length === 0 ? [THIS_PROCESS] : names) {
      found.push(...(await runPart(part, name)));
    }
  }
  const tests = found.reduce((sum, judgement) => sum + judgement.tests, 0);
  const beyond = found.reduce((sum, judgement) => sum + judgement.unlisted, 0);
  console.log(`${tests} tests run, ${beyond} differ beyond the lists`);
  if (tests === 0 || beyond > 0) process.exitCode = 1;
}

async function availableSandboxes(names) {
  const available = [];
  for (const name of names) {
    const obstacle = await findObstacle(name);
    if (obstacle === undefined) available.push(name);
    else console.log(`${name}: not run: ${obstacle}`);
  }
  return available;
}

/** Runs a part in one sandbox, in each of its languages. Prints what cannot be run. */
async function runPart(part, name) {
  const { path, image, missing, remedy } = await part.find(name, options.suites);
  if (missing !== undefined) {
    console.log(`${part.name} in ${name}: not run: ${missing}`);
    if (remedy !== undefined) console.log(`To get it:\n${remedy}`);
    return [];
  }
  const request = { suite: path, isChosen: (id) => id.includes(options.filter) };
  if (part.languages.length === 0) {
    return [await look(part, `${part.name} in ${name}`, name, () => part.run(request))];
  }
  return withPlace(name, image, async (place) => {
    const found = [];
    for (const language of part.languages) {
      const title = `${part.name} in ${name}${part.languages.length > 1 ? `, ${language}` : ''}`;
      if (!place.languages.includes(language)) {
        console.log(`${title}: not run: ${name} has no ${language}`);
        continue;
      }
      found.push(await look(part, title, name, () => part.run(request, place, language)));
    }
    return found;
  });
}

/** Runs tests, compares them with the list, and prints the results at once: a whole run is long. */
async function look({ known }, title, name, run) {
  const begun = performance.now();
  const judgement = judge(name, await run(), readKnown(known));
  // Only a run of all tests shows which listed differences are gone.
  if (options.filter !== '') judgement.gone = [];
  console.log(summaryLine(title, judgement, (performance.now() - begun) / 1000));
  for (const line of details(title, judgement)) console.log(line);
  return judgement;
}

function expectKnown(option, names, known) {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Error(`--${option} must be ${known.join(' or ')}, not ${unknown}.`);
}

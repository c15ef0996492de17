// bash's own test scripts, with the same output and status from plain bash and from the language
// bash.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readNames } from '../known.mjs';
import { withSession } from '../places.mjs';
import { inRepository } from '../suites.mjs';
import { inSteps } from './steps.mjs';

const PREPARE = readFileSync(new URL('../guests/bash-tests.sh', import.meta.url), 'utf8');
/** `jobs.tests` waits for almost a minute. */
const TIME_LIMIT_SECONDS = 120;

/** @type {import('./parts.mjs').Part} */
export const bash = {
  name: 'bash',
  languages: ['bash'],
  what: "bash's own test scripts",
  known: ['bash'],
  unit: 'scripts',
  minutes: { bubblewrap: 16 },
  find: inRepository({
    directory: 'bash',
    needs: 'tests/arith.tests',
    address: 'https://github.com/bminor/bash',
    commit: 'c5c97b371044a44b701b6efa35984a3e1956344e',
    folders: ['tests'],
  }),
  run({ suite, isChosen }, place) {
    const leftOut = readNames('bash-left-out');
    const scripts = readdirSync(join(suite, 'tests'))
      .filter((name) => name.endsWith('.tests') && !leftOut.includes(name))
      .filter(isChosen);
    // With their modes, as the tests need them. Owner and times do not matter.
    const archive = execFileSync(
      'tar',
      [
        ...leftOut.map((name) => `--exclude=tests/${name}`),
        ...['--create', '--gzip', '--directory', suite, 'tests'],
      ],
      { maxBuffer: 2 ** 26 },
    );
    return inSteps(scripts, async (id) => {
      const program = readFileSync(join(suite, 'tests', id), 'utf8');
      const plain = await runPlain(place, archive, program);
      const sandbox = await runInSandbox(place, archive, program);
      return compare(id, plain, sandbox);
    });
  },
};

/**
 * Runs a program as a session does: by `eval` in a script with the name `bash`. So both have the same
 * `$0`, call stack and trace, and the same errors end the program. The script is not in the
 * directory of the tests, which some of them list.
 */
async function runPlain({ plain }, archive, program) {
  const start = `tar --extract --gzip --no-same-owner
${PREPARE}
mkdir ../script
cd ../script
printf %s "$1" >program
echo 'cd ../tests; eval "$(<../script/program)"' >bash
exec bash bash </dev/null`;
  const options = { stdin: archive, seconds: TIME_LIMIT_SECONDS };
  return describe(await plain(['bash', '-c', start, 'bash', program], options));
}

async function runInSandbox(place, archive, program) {
  const text = archive.toString('base64');
  const unpack = `base64 --decode <<'END' | tar --extract --gzip --no-same-owner\n${text}\nEND`;
  return withSession(place, 'bash', async (run) => {
    const { success, stderr } = await run(`${unpack}\n${PREPARE}`, 60_000);
    if (!success) throw new Error(`The sandbox could not unpack the tests: ${stderr}`);
    const result = await run(program, TIME_LIMIT_SECONDS * 1000);
    return describe({ ...result, isTimedOut: result.status === 'timeout' });
  });
}

function describe({ stdout, stderr, exitCode, isTimedOut }) {
  if (isTimedOut) return [`no end after ${TIME_LIMIT_SECONDS} s`];
  return [
    `status ${exitCode}`,
    ...lines('stdout', stdout),
    ...lines('stderr', stderr.replaceAll(/^bash: (?:-c|eval): /gm, 'bash: ')),
  ];
}

function lines(name, text) {
  return text.split('\n').map((line) => `${name}: ${line}`);
}

/** Each line that only one side has is a difference. */
function compare(id, plain, sandbox) {
  const missing = without(plain, sandbox).map((line) => ({
    id,
    plain: line,
    sandbox: `no ${line}`,
  }));
  const added = without(sandbox, plain).map((line) => ({
    id,
    plain: 'no such line',
    sandbox: line,
  }));
  if (missing.length + added.length > 0) return [...missing, ...added];
  const isSame = plain.every((line, index) => line === sandbox[index]);
  return [{ id, plain: 'the same', sandbox: isSame ? 'the same' : 'the same lines, not in order' }];
}

/** Returns the lines that the others do not have, without duplicates. */
function without(all, others) {
  const left = new Map();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  const more = all.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
  return [...new Set(more)];
}

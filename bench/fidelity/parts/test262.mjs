// test262's tests of the language: those that pass as strict scripts in the plain engine, as
// programs of a session.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openSession } from '../places.mjs';
import { inRepository } from '../suites.mjs';
import { readHarness, readTests } from './test262-tests.mjs';

const PLAIN_URL = new URL('../guests/plain-test262.mjs', import.meta.url);
const DENO = fileURLToPath(new URL('../../../node_modules/.bin/deno', import.meta.url));
/** How many tests the plain interpreter gets at once. */
const BATCH = 1000;
const BATCH_SECONDS = 600;
const TIME_LIMIT_MS = 20_000;
const PRINT = 'globalThis.print = (text) => console.log(text);';
const COMPLETE = 'Test262:AsyncTestComplete';

/** @type {import('./parts.mjs').Part} */
export const test262 = {
  name: 'test262',
  languages: ['javascript', 'typescript'],
  what: "test262's tests of the language",
  known: ['test262'],
  unit: 'tests',
  minutes: {},
  find: inRepository({
    directory: 'test262',
    needs: 'harness/assert.js',
    address: 'https://github.com/tc39/test262',
    commit: 'be13516fb6441b950ba8a3df97eb34062c186972',
    folders: ['harness', 'test/language'],
  }),
  async *run({ suite, isChosen }, place, language) {
    const harness = readHarness(suite);
    const tests = readTests(suite, isChosen);
    const all = tests.length;
    for (let index = 0; index < all; index += BATCH) {
      yield { done: index, all, outcomes: [] };
      const batch = tests.slice(index, index + BATCH);
      const passing = await selectPassing(place, harness, batch);
      const notRun = batch.length - passing.length;
      let done = index + notRun;
      while (done < index + batch.length) {
        const left = passing.slice(done - index - notRun);
        for await (const outcome of runInOneSession(place, language, harness, left)) {
          done += 1;
          yield { done, all, outcomes: [outcome] };
        }
      }
    }
  },
};

async function selectPassing(place, harness, tests) {
  const request = { harness, tests: tests.map(({ path, ...test }) => ({ id: path, ...test })) };
  const options = { stdin: JSON.stringify(request), seconds: BATCH_SECONDS };
  const { stdout, stderr, exitCode } = await place.plain(plainCommand(place), options);
  if (exitCode !== 0) {
    throw new Error(`Plain tests ended with status ${exitCode} after ${tests[0].path}: ${stderr}`);
  }
  const passing = new Set(stdout.split('\n'));
  return tests.filter(({ path }) => passing.has(path));
}

function plainCommand({ name }) {
  if (name === 'embedded') return [DENO, 'run', '--no-prompt', fileURLToPath(PLAIN_URL)];
  return ['node', '--input-type=module', '--eval', readFileSync(PLAIN_URL, 'utf8')];
}

/**
 * Runs tests one after the other until one fails. A test may affect those after it, so it only
 * counts as failed if it fails as the first of a session.
 */
async function* runInOneSession(place, language, harness, tests) {
  const { run, close } = await openSession(place, language);
  try {
    await run(PRINT, TIME_LIMIT_MS);
    const included = new Set();
    for (const [index, test] of tests.entries()) {
      for (const name of test.includes.filter((each) => !included.has(each))) {
        await run(harness[name], TIME_LIMIT_MS);
        included.add(name);
      }
      const sandbox = describe(test, await run(test.code, TIME_LIMIT_MS));
      if (sandbox !== 'passes' && index > 0) return;
      yield { id: `${language}/${test.path}`, plain: 'passes', sandbox };
      if (sandbox !== 'passes') return;
    }
  } finally {
    await close();
  }
}

function describe({ negative, isAsync }, { success, stdout, status, error }) {
  const end = error === undefined ? status : `${error.type}: ${error.message}`;
  if (negative !== undefined) {
    return typeOf(error) === negative ? 'passes' : `${end}, not ${negative}`;
  }
  if (success && isAsync && !stdout.includes(COMPLETE)) return stdout.trim() || 'does not complete';
  return success ? 'passes' : end;
}

/** The thrown value need not be an error. Then its type is only in its text. */
function typeOf(error) {
  return error?.message.startsWith('Test262Error ') ? 'Test262Error' : error?.type;
}

// Runs test262's tests in the plain interpreter, each as a strict script in a new context. Reads
// one JSON object, and prints the ids of the tests that pass, one per line. It is started by its
// text, in an image that does not have this file.

import process from 'node:process';
import vm from 'node:vm';

const LOOP_LIMIT_MS = 10_000;
const ASYNC_LIMIT_MS = 2000;
const COMPLETE = 'Test262:AsyncTestComplete';

// A test may leave a rejected promise.
process.on('unhandledRejection', () => undefined);

let input = '';
for await (const chunk of process.stdin) input += chunk;
const { harness, tests } = JSON.parse(input);
for (const test of tests) {
  if (await passes(test)) process.stdout.write(`${test.id}\n`);
}

async function passes({ code, includes, negative, isAsync }) {
  let print;
  const printed = new Promise((resolve) => {
    print = resolve;
  });
  const context = vm.createContext({ print });
  for (const name of includes) vm.runInContext(strict(harness[name]), context);
  try {
    vm.runInContext(strict(code), context, { timeout: LOOP_LIMIT_MS });
  } catch (error) {
    return negative !== undefined && error?.constructor?.name === negative;
  }
  if (negative !== undefined) return false;
  return !isAsync || (await Promise.race([printed, late()])) === COMPLETE;
}

function late() {
  return new Promise((resolve) => {
    setTimeout(resolve, ASYNC_LIMIT_MS);
  });
}

function strict(code) {
  return `"use strict";\n${code}`;
}

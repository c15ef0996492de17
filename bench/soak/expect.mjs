// Checks the result of a program.

import assert from 'node:assert/strict';

/** @throws if the program ended otherwise, or printed something else. */
export function expectRun(result, status, stdout) {
  assert.equal(result.status, status, describe(result));
  if (stdout !== undefined) assert.equal(result.stdout, stdout, describe(result));
}

/** A result as one line. */
export function describe({ status, stdout, stderr, error }) {
  const printed = `printed ${JSON.stringify(stdout.slice(0, 200))}, ${JSON.stringify(stderr.slice(0, 200))}`;
  return `${status}, ${printed}, ${error?.type}: ${error?.message}`;
}

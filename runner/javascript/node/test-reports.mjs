/**
 * The tests of `node:test`. Node makes one report for each process, which ends with the first program
 * that has tests. A later program would get none, and succeed although its tests fail. So its tests
 * are errors.
 */

import asyncHooks from 'node:async_hooks';

const { AsyncResource } = asyncHooks;
const { apply, defineProperty, get } = Reflect;
const OwnError = Error;
const METHOD = 'runInAsyncScope';
/** The methods of a test by which another one, or a hook, is added to it. */
const STARTS = ['createSubtest', 'createHook'];
const MESSAGE =
  'node:test reports only the tests of the first program with tests in a session. Run these tests in a new session, or check with node:assert';

/** The test that contains all tests of this process. */
let root;
let isRefused = false;

/** Notes when a program runs a test. */
export function noteTests() {
  const { prototype } = AsyncResource;
  const original = get(prototype, METHOD);
  // Each test is such a resource, and there is no other way to its root.
  const { [METHOD]: replacement } = {
    [METHOD](...given) {
      if (root === undefined) root = rootOf(this);
      return apply(original, this, given);
    },
  };
  defineProperty(replacement, 'length', { value: original.length });
  prototype[METHOD] = replacement;
}

/** Comes after each program. */
export function refuseLaterTests() {
  if (root === undefined || isRefused) return;
  // Only once, because a program may have made up an object that looks like a test.
  isRefused = true;
  const value = () => {
    throw new OwnError(MESSAGE);
  };
  for (let index = 0; index < STARTS.length; index += 1) {
    defineProperty(root, STARTS[index], { __proto__: null, value });
  }
}

function rootOf(resource) {
  const found = resource?.root;
  return typeof found?.createSubtest === 'function' ? found : undefined;
}

import assert from 'node:assert/strict';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';

const MISSING =
  /^Cannot find (?:module|package) 'lodash'.*(?:nothing can be installed|no packages)/;
const NETWORK = /^fetch failed: there is no network here; only tools reach anything outside$/;
const CAUSE = '{ cause: Object.assign(new Error("getaddrinfo"), { code: "EAI_AGAIN" }) }';

/** What programs expect and no sandbox has: code, and the error's message. */
const SLIPS: readonly (readonly [code: string, message: RegExp])[] = [
  ['require("lodash")', MISSING],
  ['import lodash from "lodash"', MISSING],
  ['await import("lodash")', MISSING],
  [`throw new TypeError("fetch failed", ${CAUSE})`, NETWORK],
];

/** What an error says if a program expects a package or a network. */
export function javascriptSlips(): TestGroup {
  return {
    name: 'what no sandbox has, in JavaScript',
    options: {},
    tests: [
      ...SLIPS.map(([code, message]) =>
        test(`the error says what to do: ${JSON.stringify(code)}`, async (bench) => {
          const { error } = await bench.run(code);
          const [first = ''] = String(error?.message).split('\n');
          assert.match(first, message);
          assert.ok(error?.traceback.includes(first), error?.traceback);
        }),
      ),
      ...['require("./none.js")', 'throw new TypeError("fetch failed")'].map((code) =>
        test(`another error stays as it is: ${JSON.stringify(code)}`, async (bench) => {
          const { error } = await bench.run(code);
          assert.doesNotMatch(String(error?.traceback), /installed here|network here/);
        }),
      ),
      test('an error of the program that fails when it is looked at is reported', async (bench) => {
        const { error } = await bench.run(
          'throw Object.defineProperty(new Error("odd"), "cause", { get() { throw 1; } });',
        );
        assert.equal(error?.message, 'odd');
      }),
    ],
  };
}

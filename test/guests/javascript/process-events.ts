import assert from 'node:assert/strict';
import { assertMatches } from '../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';

const WAIT = 'await new Promise((done) => setTimeout(done, 20)); console.log("on");';

/** Events of `process` in JavaScript, and when listeners are called. */
export function processEvents(): TestGroup {
  return {
    name: 'events of the process',
    options: { languages: ['javascript'] },
    tests: [
      ...(
        [
          [
            'for rejections',
            'process.on("unhandledRejection", ({ message }) => console.log(message)); Promise.reject(new Error("late"));',
            'late\non\n',
          ],
          [
            'for errors',
            'process.on("uncaughtException", ({ message }, origin) => console.log(message, origin)); setTimeout(() => { throw new Error("late") }, 1);',
            'late uncaughtException\non\n',
          ],
          [
            'for errors, and has a rejection',
            'process.on("uncaughtException", ({ message }, origin) => console.log(message, origin)); Promise.reject(new Error("late"));',
            'late unhandledRejection\non\n',
          ],
        ] as const
      ).map(([what, code, expected]) =>
        test(`a program that listens ${what} goes on, and its listener ends with it`, async (bench) => {
          assertMatches(await bench.run(`${code}\n${WAIT}`), { status: 'ok', stdout: expected });
          const next = await bench.run(`Promise.reject(new TypeError("unheard"));\n${WAIT}`);
          assertMatches(next, { status: 'error', stdout: '', error: { type: 'TypeError' } });
        }),
      ),
      ...(
        [
          ['console.log("last")', 'ok', 'last\nexit 0\n'],
          ['throw new Error("e")', 'error', 'exit 1\n'],
          ['process.exit(3)', 'error', 'exit 3\n'],
          ['process.exitCode = 3', 'error', 'exit 3\n'],
        ] as const
      ).map(([code, status, stdout]) =>
        test(`a program that listens for its end is told once: ${code}`, async (bench) => {
          const listen = 'process.on("exit", (code) => console.log("exit", code));';
          assertMatches(await bench.run(`${listen}\n${code}`), { status, stdout });
          assert.equal(await bench.print('console.log("next")'), 'next\n');
        }),
      ),
      ...(
        [
          ['process.exitCode = 4', { status: 'error', exitCode: 4 }],
          ['process.exit(5)', { status: 'error', exitCode: 5 }],
          ['throw new RangeError("e")', { status: 'error', error: { type: 'RangeError' } }],
        ] as const
      ).map(([code, expected]) =>
        test(`what a program does when it is told of its end decides how it ends: ${code}`, async (bench) => {
          const listen = `process.on("exit", () => { ${code} });`;
          assertMatches(await bench.run(listen), expected);
          assert.equal(await bench.print('console.log("next")'), 'next\n');
        }),
      ),
    ],
  };
}

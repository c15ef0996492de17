import assert from 'node:assert/strict';
import { assertMatches } from '../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';

const ON = 'await told; console.log("on");';
/** A listener of an event that prints what it is told, after which `ON` goes on. */
const listener = (event: string, parameters: string, printed: string): string =>
  `let heard; const told = new Promise((done) => { heard = done; });
process.on("${event}", (${parameters}) => { console.log(${printed}); heard(); });`;
const FOR_REJECTIONS = listener('unhandledRejection', '{ message }', 'message');
const FOR_ERRORS = listener('uncaughtException', '{ message }, origin', 'message, origin');

/** Events of `process` in JavaScript, and when listeners are called. */
export function processEvents(): TestGroup {
  return {
    name: 'events of the process',
    options: { languages: ['javascript'] },
    tests: [
      ...(
        [
          ['for rejections', `${FOR_REJECTIONS} Promise.reject(new Error("late"));`, 'late\non\n'],
          [
            'for errors',
            `${FOR_ERRORS} setTimeout(() => { throw new Error("late") }, 1);`,
            'late uncaughtException\non\n',
          ],
          [
            'for errors, and has a rejection',
            `${FOR_ERRORS} Promise.reject(new Error("late"));`,
            'late unhandledRejection\non\n',
          ],
          [
            'for errors, and has a value that is rejected',
            `${FOR_ERRORS} told.then(() => console.log("on"));\n(async () => { throw new Error("late") })();`,
            'late unhandledRejection\non\n',
            '',
          ],
          [
            'for rejections, and has a value that is rejected',
            `${FOR_REJECTIONS} told.then(() => console.log("on"));\n(async () => { throw new Error("late") })();`,
            'late\non\n',
            '',
          ],
          [
            'for errors, and throws one',
            `${FOR_ERRORS} setTimeout(() => console.log("on"), 5);\nthrow new Error("late");`,
            'late unhandledRejection\non\n',
            '',
          ],
          [
            'for errors, and throws one after it has waited',
            `${FOR_ERRORS} setTimeout(() => console.log("on"), 5);\nawait null;\nthrow new Error("late");`,
            'late unhandledRejection\non\n',
            '',
          ],
        ] as const
      ).map(([what, code, expected, on = ON]) =>
        test(`a program that listens ${what} goes on, and its listener ends with it`, async (bench) => {
          assertMatches(await bench.run(`${code}\n${on}`), { status: 'ok', stdout: expected });
          // Nothing else ends it. A shorter timer could fire first on a busy machine.
          const next = await bench.run(
            'Promise.reject(new TypeError("unheard"));\nawait new Promise((done) => setTimeout(done, 1e6));',
          );
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
      ).flatMap(([code, expected]) =>
        ['', 'process.exit(2);'].map((end) =>
          test(`what a program does when it is told of its end decides how it ends: ${code} ${end}`, async (bench) => {
            const listen = `process.on("exit", () => { ${code} });`;
            assertMatches(await bench.run(`${listen}\n${end}`), expected);
            assert.equal(await bench.print('console.log("next")'), 'next\n');
          }),
        ),
      ),
      test('a program that listens for its end finds its status', async (bench) => {
        const code = 'process.on("exit", () => console.log(process.exitCode));\nprocess.exit(5);';
        assertMatches(await bench.run(code), { exitCode: 5, stdout: '5\n' });
      }),
      test('the status of a program that failed is not that of the next program', async (bench) => {
        const failed = await bench.run('process.exitCode = 3;\nthrow new Error("e");');
        assertMatches(failed, { status: 'error', error: { type: 'Error' } });
        assertMatches(await bench.run('1'), { status: 'ok', exitCode: 0 });
      }),
      ...(
        [
          ['(async () => { throw new Error("e") })().catch(process.exit);', 'TypeError'],
          ['process.exit("one");', 'TypeError'],
          ['process.exit(1.5);', 'RangeError'],
        ] as const
      ).map(([code, type]) =>
        test(`a status that Node refuses is an error: ${code}`, async (bench) => {
          assertMatches(await bench.run(code), { status: 'error', exitCode: 1, error: { type } });
        }),
      ),
    ],
  };
}

import assert from 'node:assert/strict';
import { assertMatches } from '../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';

/** Programs with values that `submit` refuses, and the message of the error. */
const REFUSED: readonly (readonly [code: string, message: RegExp])[] = [
  ['submit(NaN);', /: it is NaN, which is not a JSON value/],
  ['submit({ a: [1, Infinity] });', /: 1 is Infinity/],
  ['submit({ f: () => 1 });', /f is a function, which is not a JSON value/],
  ['submit(10n);', /it is a bigint/],
  ['submit(Symbol());', /it is a symbol/],
  ['submit();', /it is undefined/],
  ['submit(new Uint8Array(3));', /it is binary data/],
  ['submit({ a: new ArrayBuffer(3) });', /a is binary data/],
  ['submit([Buffer.from("text")]);', /0 is binary data/],
  ['submit({ get a() { throw new Error("no luck"); } });', /cannot hand this back: no luck/],
  [
    'let d = [];\nfor (let i = 0; i < 1e5; i += 1) d = [d];\nsubmit(d);',
    /call stack|values|levels/,
  ],
  ['submit(new (class Row {})());', /it is an object of class Row/],
  ['submit([new Error("no")]);', /0 is an object of class Error/],
  ['submit(Promise.resolve(1));', /it is a Promise; await it first/],
  ['const loop = {};\nloop.loop = loop;\nsubmit(loop);', /circular/],
  ['let deep = [];\nfor (let i = 0; i < 63; i += 1) deep = [deep];\nsubmit(deep);', /63 levels/],
  ['submit(JSON.parse(\'{"__proto__": 1}\'));', /a key __proto__/],
  ['submit(["\\ud800"]);', /half of a surrogate pair/],
  ['submit({ "\\udfff": 1 });', /half of a surrogate pair/],
  ['submit(new Array(30_000).fill(0));', /has more than 20000 values/],
  ['submit(new Set(new Array(30_000).keys()));', /has more than 20000 values/],
  ['submit("é".repeat(200_000));', /takes more than 1048576 bytes/],
];

/** The value of a result in JavaScript. */
export function javascriptValues(): TestGroup {
  return {
    name: 'values in JavaScript',
    options: { languages: ['javascript', 'typescript'] },
    tests: [
      ...REFUSED.map(([code, message]) =>
        test(`submit refuses ${JSON.stringify(code)}`, async (bench) => {
          const line = code.split('\n').length;
          assertMatches(await bench.run(code), {
            status: 'error',
            value: undefined,
            error: { type: 'TypeError', message, line },
          });
        }),
      ),
      ...(
        [
          [
            '({ date: new Date(0), set: new Set([1]), map: new Map([["a", 1]]) })',
            { date: '1970-01-01T00:00:00.000Z', set: [1], map: { a: 1 } },
          ],
          ['[undefined, 1]', [null, 1]],
          ['({ size: 1e6, length: 1e6, left: undefined })', { size: 1e6, length: 1e6 }],
          ['new Float64Array([0.5])', [0.5]],
          ['Object.create(null)', {}],
          ['Promise.resolve(5)', 5],
          ['1e300', 1e300],
          ['[2 ** 60, -9876543210123456]', [2 ** 60, -9876543210123456]],
          ['null', null],
          ['return "returned"', 'returned'],
        ] as const
      ).map(([code, value]) =>
        test(`a last expression ${code} is handed back`, async (bench) => {
          const result = await bench.run(code);
          assert.equal(result.status, 'ok');
          // Compared as text, because values from a sandbox have no prototypes.
          assert.equal(JSON.stringify(result.value), JSON.stringify(value));
        }),
      ),
      ...(
        ['() => 1', 'NaN', 'new Array(30_000)', 'new (class Row {})()', 'undefined', '9n'] as const
      ).map((code) =>
        test(`a last expression ${code} is not`, async (bench) => {
          assertMatches(await bench.run(code), { status: 'ok', value: undefined });
        }),
      ),
      ...(
        [
          'let total;\ntotal = 5',
          'let count = 1;\ncount++',
          '[1].push(2)',
          '[].unshift(3);',
          'new Map().set("a", 1)',
          'new Set()?.add(1);',
          'new Map([[1, 2]]).delete(1)',
          'new (require("events"))().on("a", () => {})',
          'export default { fetch: 1 }',
        ] as const
      ).map((code) =>
        test(`the value of ${JSON.stringify(code)} is neither shown nor handed back`, async (bench) => {
          const result = await bench.run(`console.log("printed");\n${code}`);
          assertMatches(result, { status: 'ok', value: undefined, stdout: 'printed\n' });
        }),
      ),
      ...(
        [
          ['class Sum { add(a, b) { return a + b; } }\nnew Sum().add(2, 3)', '5\n'],
          ['({ push: () => "pushed" }).push(1)', 'pushed\n'],
          ['if (true) return 1;\n[].push(2)', '1\n'],
          ['[3, 1].sort()', '[ 1, 3 ]\n'],
          ['"two\\nlines"', 'two\nlines\n'],
          ['return "a \\"quoted\\" text"', 'a "quoted" text\n'],
          ['["text"]', "[ 'text' ]\n"],
          ['null', ''],
        ] as const
      ).map(([code, stdout]) =>
        test(`of ${JSON.stringify(code)}, ${JSON.stringify(stdout)} is shown`, async (bench) => {
          assertMatches(await bench.run(code), { status: 'ok', stdout });
        }),
      ),
      test('what a callback submits when the statements are done is handed back', async (bench) => {
        const code = 'setTimeout(() => submit("late"), 5);\n"last"';
        assertMatches(await bench.run(code), { status: 'ok', value: 'late' });
      }),
      test('a program that exits hands back what it has submitted', async (bench) => {
        const code = 'submit([1]);\nprocess.exit(3);';
        assertMatches(await bench.run(code), { status: 'error', exitCode: 3, value: [1] });
      }),
      test('a program may have a variable or a function submit, and the next ones too', async (bench) => {
        const session = await bench.open();
        assertMatches(await session.execute('const submit = 41;\nsubmit + 1'), { value: 42 });
        assertMatches(await session.execute('submit'), { value: 41 });
        const declared = await session.execute('function submit() { return "own"; }\nsubmit()');
        assertMatches(declared, { status: 'ok', value: 'own' });
        await session.destroy();
      }),
      test('types do not matter', async (bench) => {
        const code = 'interface Row { id: number }\nconst row: Row = { id: 1 };\nsubmit(row);';
        assertMatches(await bench.run(code, { language: 'typescript' }), { value: { id: 1 } });
      }),
    ],
  };
}

import assert from 'node:assert/strict';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { printed, stoppedAt } from '../../../../src/testing/stopped-at.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Programs with values that `submit` refuses, and the message of the error. */
const REFUSED: readonly (readonly [code: string, message: RegExp])[] = [
  ['submit(float("nan"))', /: value is nan, which JSON does not have/],
  ['submit({"a": [1, float("inf")]})', /: value\['a'\]\[1\] is inf/],
  ['submit([2 ** 53 + 1])', /: value\[0\] is a whole number too large to arrive exactly/],
  ['submit({"f": submit})', /: value\['f'\] cannot be JSON: a function is not a JSON value/],
  ['submit(b"bytes")', /a bytes is not a JSON value/],
  ['submit(object())', /a object is not a JSON value/],
  ['loop = []\nloop.append(loop)\nsubmit(loop)', /nested more than 63 levels deep, or contains/],
  ['submit({(1, 2): 3})', /has a key that is a tuple/],
  ['submit({"__proto__": 1})', /has a key __proto__/],
  ['submit(["\\ud800"])', /half of a surrogate pair/],
  ['submit({"\\udfff": 1})', /half of a surrogate pair/],
  ['submit([0] * 30_000)', /has more than 20,000 values/],
  ['submit("é" * 200_000)', /takes more than 1,048,576 bytes/],
  ['submit("x" * 2_000_000)', /takes more than 1,048,576 bytes/],
];

/** The value of a result in Python. */
export function pythonValues(): TestGroup {
  return {
    name: 'values in Python',
    options: {},
    tests: [
      ...REFUSED.map(([code, message]) =>
        test(`submit refuses ${JSON.stringify(code)}`, async (bench) => {
          const line = code.split('\n').length;
          assertMatches(await bench.run(code), {
            status: 'error',
            value: undefined,
            error: { type: 'ValueError', message, line },
          });
        }),
      ),
      ...(
        [
          ['(1, 2.5, True)', [1, 2.5, true]],
          ['{1: "a", None: "b"}', { 1: 'a', null: 'b' }],
          ['{"set": {3}}', { set: [3] }],
          ['"\\ud83d\\ude42".encode("utf-16", "surrogatepass").decode("utf-16")', '🙂'],
          ['2 ** 53 - 1', Number.MAX_SAFE_INTEGER],
          ['[9876543210123456, -(10 ** 22)]', [9876543210123456, -1e22]],
          ['1e300', 1e300],
          ['"' + 'x'.repeat(5000) + '"', 'x'.repeat(5000)],
        ] as const
      ).map(([code, value]) =>
        test(`a last expression ${JSON.stringify(code)} is handed back`, async (bench) => {
          const result = await bench.run(code);
          assert.equal(result.status, 'ok');
          // Compared as text, because values from a sandbox have no prototypes.
          assert.equal(JSON.stringify(result.value), JSON.stringify(value));
        }),
      ),
      ...(
        ['b"bytes"', 'float("nan")', '[0] * 30_000', '"x" * 2_000_000', 'object()', 'None'] as const
      ).map((code) =>
        test(`a last expression ${JSON.stringify(code)} is not, and is shown as ever`, async (bench) => {
          const { status, value, stdout } = await bench.run(code);
          assert.deepEqual([status, value], ['ok', undefined]);
          assert.equal(stdout === '', code === 'None');
        }),
      ),
      test('a value that submit refuses leaves the one before it', async (bench) => {
        const code = 'submit(1)\ntry:\n    submit(b"")\nexcept ValueError:\n    pass\n3';
        assertMatches(await bench.run(code), { status: 'ok', value: 1 });
      }),
      test('a program may await submit, as it does its tools', async (bench) => {
        assertMatches(await bench.run('print(await submit(1), submit(2))\nsubmit(3)'), {
          status: 'ok',
          stdout: 'None None\n',
          stderr: '',
          value: 3,
        });
      }),
      test('a program that is stopped hands back what it has submitted', async (bench) => {
        const code = 'import asyncio\nsubmit("half")\nprint("on")\nawait asyncio.sleep(600)';
        const result = await stoppedAt(printed('on'), async (timeoutMs) =>
          bench.run(code, { timeoutMs }),
        );
        assertMatches(result, { status: 'timeout', value: 'half', stdout: 'on\n' });
      }),
      test('a program may have a variable submit, and the next ones too', async (bench) => {
        const session = await bench.open();
        assertMatches(await session.execute('submit = {"own": 1}\nsubmit'), {
          value: { own: 1 },
        });
        const later = await session.execute('print(submit["own"])\nNone');
        assertMatches(later, { stdout: '1\n', value: undefined });
        await session.destroy();
      }),
      test(
        'submit says that it is of no use in another process',
        async (bench) => {
          const code =
            'from concurrent.futures import ProcessPoolExecutor\nwith ProcessPoolExecutor(1) as pool:\n    pool.submit(submit, 1).result()';
          assertMatches(await bench.run(code), {
            status: 'error',
            value: undefined,
            error: { type: 'RuntimeError', message: /in the program itself/ },
          });
        },
        { needs: 'fork' },
      ),
      test('a value arrives whole beside output that is cut, and counts as one call does', async (bench) => {
        const result = await bench.run('submit(["v" * 1000] * 1000)\nprint("x" * 5_000_000)');
        assertMatches(result, { status: 'ok', truncated: true });
        assert.deepEqual(
          result.value,
          Array.from({ length: 1000 }, () => 'v'.repeat(1000)),
        );
      }),
    ],
  };
}

/** Limits of the size of a value. */
export function limitsOfValues(): TestGroup {
  const budgets = { callBytes: 2048, callValues: 10 };
  return {
    name: 'limits of values',
    options: { budgets },
    tests: [
      test('a value has the same limits as a tool call', async (bench) => {
        const fits = await bench.run('submit(["x" * 1500])');
        assert.deepEqual(fits.value, ['x'.repeat(1500)]);
        for (const code of ['submit("x" * 2048)', 'submit([1] * 11)']) {
          assertMatches(await bench.run(code), { status: 'error', error: { type: 'ValueError' } });
        }
        assertMatches(await bench.run('[1] * 11'), { status: 'ok', value: undefined });
      }),
    ],
  };
}

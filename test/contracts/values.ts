import { describe, expect, it } from 'vitest';
import { itNeeds, useBench, type Subject } from './subject.ts';

/** What `submit` refuses, and what its error says. */
const REFUSED: readonly (readonly [code: string, message: RegExp])[] = [
  ['submit(float("nan"))', /: value is nan, which JSON does not have/],
  ['submit({"a": [1, float("inf")]})', /: value\['a'\]\[1\] is inf/],
  ['submit([2 ** 53])', /: value\[0\] is a whole number too large to arrive exactly/],
  ['submit({"f": submit})', /: value\['f'\] cannot be JSON: a function is no JSON value/],
  ['submit(b"bytes")', /a bytes is no JSON value/],
  ['submit(object())', /a object is no JSON value/],
  ['loop = []\nloop.append(loop)\nsubmit(loop)', /nested more than 63 levels deep, or contains/],
  ['submit({(1, 2): 3})', /has a key that is a tuple/],
  ['submit({"__proto__": 1})', /has a key __proto__/],
  ['submit(["\\ud800"])', /half of a surrogate pair/],
  ['submit({"\\udfff": 1})', /half of a surrogate pair/],
  ['submit([0] * 30_000)', /has more than 20,000 values/],
  ['submit("é" * 200_000)', /takes more than 1,048,576 bytes/],
  ['submit("x" * 2_000_000)', /takes more than 1,048,576 bytes/],
];

/** The same in JavaScript. */
const REFUSED_IN_JAVASCRIPT: readonly (readonly [code: string, message: RegExp])[] = [
  ['submit(NaN);', /: it is NaN, which is no JSON value/],
  ['submit({ a: [1, Infinity] });', /: 1 is Infinity/],
  ['submit([2 ** 53]);', /0 is 9007199254740992, a whole number too large/],
  ['submit({ f: () => 1 });', /f is a function, which is no JSON value/],
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

/** What a program hands back, where Python and JavaScript have their own words. */
export function describeValues(subject: Subject): void {
  describe('values in Python', () => {
    const bench = useBench(subject);
    const { run } = bench;

    it.each(REFUSED)('submit refuses %j', async (code, message) => {
      const line = code.split('\n').length;
      expect(await run(code)).toMatchObject({
        status: 'error',
        value: undefined,
        error: { type: 'ValueError', message: expect.stringMatching(message), line },
      });
    });

    it.each([
      ['(1, 2.5, True)', [1, 2.5, true]],
      ['{1: "a", None: "b"}', { 1: 'a', null: 'b' }],
      ['{"set": {3}}', { set: [3] }],
      ['"\\ud83d\\ude42".encode("utf-16", "surrogatepass").decode("utf-16")', '🙂'],
      ['2 ** 53 - 1', Number.MAX_SAFE_INTEGER],
      ['1e300', 1e300],
      ['"' + 'x'.repeat(5000) + '"', 'x'.repeat(5000)],
    ])('a last expression %j is handed back', async (code, value) => {
      const result = await run(code);
      expect(result.status).toBe('ok');
      expect(result.value).toEqual(value);
    });

    it.each(['b"bytes"', 'float("nan")', '[0] * 30_000', '"x" * 2_000_000', 'object()', 'None'])(
      'a last expression %j is not, and is shown as ever',
      async (code) => {
        const { status, value, stdout } = await run(code);
        expect([status, value]).toEqual(['ok', undefined]);
        expect(stdout === '').toBe(code === 'None');
      },
    );

    it('a value that submit refuses leaves the one before it', async () => {
      const code = 'submit(1)\ntry:\n    submit(b"")\nexcept ValueError:\n    pass\n3';
      expect(await run(code)).toMatchObject({ status: 'ok', value: 1 });
    });

    it('a program may await submit, as it does its tools', async () => {
      expect(await run('print(await submit(1), submit(2))\nsubmit(3)')).toMatchObject({
        status: 'ok',
        stdout: 'None None\n',
        stderr: '',
        value: 3,
      });
    });

    it('a program that is stopped hands back what it has submitted', async () => {
      const code = 'import asyncio\nsubmit("half")\nprint("on")\nawait asyncio.sleep(60)';
      expect(await run(code, { timeoutMs: 500 })).toMatchObject({
        status: 'timeout',
        value: 'half',
        stdout: 'on\n',
      });
    });

    it('a program may have a variable submit, and the next ones too', async () => {
      const session = await bench.open();
      expect(await session.execute('submit = {"own": 1}\nsubmit')).toMatchObject({
        value: { own: 1 },
      });
      const later = await session.execute('print(submit["own"])\nNone');
      expect(later).toMatchObject({ stdout: '1\n', value: undefined });
      await session.destroy();
    });

    itNeeds('fork', subject, 'submit says that it is of no use in another process', async () => {
      const code =
        'from concurrent.futures import ProcessPoolExecutor\nwith ProcessPoolExecutor(1) as pool:\n    pool.submit(submit, 1).result()';
      expect(await run(code)).toMatchObject({
        status: 'error',
        value: undefined,
        error: { type: 'RuntimeError', message: expect.stringContaining('in the program itself') },
      });
    });

    it('a value arrives whole beside output that is cut, and counts as one call does', async () => {
      const result = await run('submit(["v" * 1000] * 1000)\nprint("x" * 3_000_000)');
      expect(result).toMatchObject({ status: 'ok', truncated: true });
      expect(result.value).toEqual(Array.from({ length: 1000 }, () => 'v'.repeat(1000)));
    });
  });

  describe('bounds of values', () => {
    const budgets = { callBytes: 2048, callValues: 10 };
    const { run } = useBench(subject, { budgets });

    it('are those of a tool call', async () => {
      const fits = await run('submit(["x" * 1500])');
      expect(fits.value).toEqual(['x'.repeat(1500)]);
      for (const code of ['submit("x" * 2048)', 'submit([1] * 11)']) {
        expect(await run(code)).toMatchObject({ status: 'error', error: { type: 'ValueError' } });
      }
      expect(await run('[1] * 11')).toMatchObject({ status: 'ok', value: undefined });
    });
  });
}

/** The same for JavaScript. */
export function describeJavascriptValues(subject: Subject): void {
  describe('values in JavaScript', () => {
    const { open, run } = useBench(subject, { languages: ['javascript', 'typescript'] });

    it.each(REFUSED_IN_JAVASCRIPT)('submit refuses %j', async (code, message) => {
      const session = await open();
      const line = code.split('\n').length;
      expect(await session.execute(code)).toMatchObject({
        status: 'error',
        value: undefined,
        error: { type: 'TypeError', message: expect.stringMatching(message), line },
      });
      await session.destroy();
    });

    it.each([
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
      ['null', null],
      ['return "returned"', 'returned'],
    ])('a last expression %s is handed back', async (code, value) => {
      const result = await run(code);
      expect(result.status).toBe('ok');
      expect(result.value).toEqual(value);
    });

    it.each(['() => 1', 'NaN', 'new Array(30_000)', 'new (class Row {})()', 'undefined', '9n'])(
      'a last expression %s is not',
      async (code) => {
        expect(await run(code)).toMatchObject({ status: 'ok', value: undefined });
      },
    );

    it('what a callback submits when the statements are done is handed back', async () => {
      const code = 'setTimeout(() => submit("late"), 5);\n"last"';
      expect(await run(code)).toMatchObject({ status: 'ok', value: 'late' });
    });

    it('a program that exits hands back what it has submitted', async () => {
      const code = 'submit([1]);\nprocess.exit(3);';
      expect(await run(code)).toMatchObject({ status: 'error', exitCode: 3, value: [1] });
    });

    it('a program may have a variable or a function submit, and the next ones too', async () => {
      const session = await open();
      expect(await session.execute('const submit = 41;\nsubmit + 1')).toMatchObject({ value: 42 });
      expect(await session.execute('submit')).toMatchObject({ value: 41 });
      const declared = await session.execute('function submit() { return "own"; }\nsubmit()');
      expect(declared).toMatchObject({ status: 'ok', value: 'own' });
      await session.destroy();
    });

    it('types are no matter', async () => {
      const code = 'interface Row { id: number }\nconst row: Row = { id: 1 };\nsubmit(row);';
      expect(await run(code, { language: 'typescript' })).toMatchObject({ value: { id: 1 } });
    });
  });
}

import { describe, expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';

const bench = useBench({
  languages: ['javascript', 'typescript'],
  toolList: [
    {
      name: 'find-orders',
      description: 'Finds orders.',
      inputSchema: { type: 'object' },
      run: (input) => {
        if ('fail' in (input as object)) throw new Error('it broke');
        return input;
      },
    },
    { name: 'order:list', description: 'Lists orders.', run: () => ['a', 'b'] },
    {
      name: 'never',
      description: 'Never answers.',
      run: async (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    },
  ],
});
const { print, run } = bench;

describe('what a program of Node prints', () => {
  it('is formatted as Node formats it, on the stream that it names', async () => {
    const result = await run(
      'console.log("%s of %d", "a", 2, { deep: { a: [1, { b: {} }] } });\nconsole.table([{ x: 1 }]);\nconsole.error(new Map([[1, 2]]));\nprocess.stdout.write("no newline");',
    );
    expect(result.stdout).toBe(
      'a of 2 { deep: { a: [ 1, [Object] ] } }\n┌─────────┬───┐\n│ (index) │ x │\n├─────────┼───┤\n│ 0       │ 1 │\n└─────────┴───┘\nno newline',
    );
    expect(result.stderr).toBe('Map(1) { 1 => 2 }\n');
  });

  it.each([
    ['1 + 1', '2\n'],
    ['"text\\nof two lines"', 'text\nof two lines\n'],
    ['["text"]', "[ 'text' ]\n"],
    ['({ a: undefined })', '{ a: undefined }\n'],
    ['undefined', ''],
    ['null', ''],
    ['const x = 5;', ''],
    ['await Promise.resolve([1])', '[ 1 ]\n'],
    ['async function main() { return 7 }\nmain()', '7\n'],
    ['return { early: true };\n5', '{ early: true }\n'],
    ['console.log("printed"); 5', 'printed\n5\n'],
  ])('of %j is %j', async (code, expected) => {
    expect(await print(code)).toBe(expected);
  });
});

describe('an error of a program of Node', () => {
  it('has its type, its line, the line itself, and only frames of programs', async () => {
    const { error } = await run('function f() {\n  throw new RangeError("far");\n}\n\n  f();');
    expect(error).toMatchObject({ type: 'RangeError', message: 'far', line: 2 });
    expect(error?.traceback.replaceAll(/<run \d+>/g, '<run>')).toBe(
      '<run>:2\n  throw new RangeError("far");\n        ^\nRangeError: far\n    at f (<run>:2:9)\n    at <run>:5:3',
    );
  });

  it('has what is known of it beyond its message, and its cause', async () => {
    const { error } = await run(
      'const error = new Error("outer", { cause: new TypeError("inner") });\nerror.code = "X1";\nthrow error;',
    );
    expect(error?.traceback).toMatch(/code: 'X1'/);
    expect(error?.traceback).toMatch(/\[cause\]: TypeError: inner\n +at <run \d+>:1:43/);
    expect(error?.traceback).not.toMatch(/runner:|node:/);
  });

  it('of a call has the line that waits for it, and says which tool failed how', async () => {
    const { error } = await run('const n = 1;\nawait find_orders({ fail: true });');
    expect(error).toMatchObject({
      type: 'ToolError',
      message: expect.stringMatching(/^find_orders failed \(.+\): it broke$/),
      line: 2,
    });
  });

  it.each([
    ['\nfind_orders({ fail: true });', 2],
    ['async function f() {\n  find_orders({ fail: true });\n  await never({});\n}\nawait f();', 2],
    ['const call = find_orders({ fail: true });\n\nawait call;', 3],
  ])('of a call has the line that makes it if none waits for it: %j', async (code, line) => {
    const { error } = await run(code);
    expect(error).toMatchObject({ type: 'ToolError', line });
    expect(error?.traceback).toMatch(
      /^<run \d+>:\d+\n.*\n *\^\nToolError: find_orders failed[^]*\n {4}at [^]*<run \d+>:\d+:\d+/,
    );
  });

  it.each([
    ['const a = ;', 1, /Unexpected token/],
    ['let a = 1;\nlet a = 2;', 2, /'a' has already been declared/],
    ['if (true) {\n  1', 2, /Unexpected (?:token|end)/],
    ['import { nothing } from "node:path";', 1, /does not provide an export named 'nothing'/],
  ])('of syntax in %j has its line', async (code, line, message) => {
    const { error, status } = await run(code);
    expect(status).toBe('error');
    expect(error).toMatchObject({ type: 'SyntaxError', line });
    expect(error?.message).toMatch(message);
  });

  it.each([
    ['setTimeout(() => { throw new TypeError("late") }, 1); await new Promise(() => {});', 1],
    ['Promise.reject(new TypeError("late"));\n"unheard"', 1],
    ['\nqueueMicrotask(() => { throw new TypeError("late") }); await new Promise(() => {})', 2],
    ['process.nextTick(() => { throw new TypeError("late") }); await new Promise(() => {})', 1],
  ])('that nobody can catch fails the run with its line: %j', async (code, line) => {
    expect((await run(code)).error).toMatchObject({ type: 'TypeError', message: 'late', line });
    expect(await print('"the session goes on"')).toBe('the session goes on\n');
  });

  it.each([['throw "text"'], ['throw { a: 1 }'], ['throw null'], ['throw undefined']])(
    'may be no error at all: %j',
    async (code) => {
      const { error } = await run(code);
      expect(error?.traceback).toMatch(/^Uncaught /);
    },
  );
});

describe('a call of a tool in Node', () => {
  it('takes one object, and finds tools of a resource in its namespace', async () => {
    expect(await print('[await find_orders({ a: "é" }), await order.list()]')).toBe(
      "[ { a: 'é' }, [ 'a', 'b' ] ]\n",
    );
  });

  it.each([
    ['"a"'],
    ['["a"]'],
    ['{}, 1'],
    ['null'],
    ['new Date()'],
    ['new URL("http://a/")'],
    ['new Set([1])'],
    ['new Uint8Array(2)'],
    ['new String("x")'],
    ['{ a: 1, toJSON: () => 5 }'],
    ['{ a: 1, toJSON: () => [5] }'],
    ['{ a: 1, toJSON: () => undefined }'],
  ])('with (%s) is told what it takes', async (input) => {
    const { error, sessionOpen, toolCalls } = await run(`\nawait find_orders(${input})`);
    expect(error).toMatchObject({ type: 'TypeError', line: 2 });
    expect(error?.message).toContain('one object with all its arguments');
    expect({ sessionOpen, toolCalls }).toEqual({ sessionOpen: true, toolCalls: 0 });
  });

  it('sends sets, maps, dates and typed arrays as what they hold', async () => {
    expect(
      await print(
        'console.log(JSON.stringify(await find_orders({ s: new Set([1]), m: new Map([["k", 2]]), d: new Date(0), u: new Uint8Array([3]), left: undefined })))',
      ),
    ).toBe('{"s":[1],"m":{"k":2},"d":"1970-01-01T00:00:00.000Z","u":[3]}\n');
  });

  it.each([
    ['{ a: NaN }', 'NaN'],
    ['{ a: [1n] }', 'bigint'],
    ['{ f: () => 1 }', 'function'],
    ['(() => { let a = {}; for (let i = 0; i < 70; i++) a = { a }; return a; })()', 'nested'],
    ['{ a: Array(100_001).fill(0) }', 'values'],
    ['(() => { const a = {}; a.a = a; return a; })()', 'circular'],
  ])('with %s fails in the program and nowhere else', async (input, what) => {
    const { error, sessionOpen, toolCalls } = await run(`await find_orders(${input})`);
    expect(error?.message).toMatch(/InvalidArguments/);
    expect(error?.message.toLowerCase()).toContain(what.toLowerCase());
    expect({ sessionOpen, toolCalls }).toEqual({ sessionOpen: true, toolCalls: 0 });
  });
});

describe('a program of Node that ends itself', () => {
  it.each([
    ['process.exit(3); console.log("never")', 3],
    ['try { process.exit(3) } finally { console.log("never") }', 3],
    ['try { await null; process.exit(3) } catch { console.log("never") }', 3],
    ['setTimeout(() => process.exit(3), 1); await new Promise(() => {})', 3],
    ['process.exitCode = 3', 3],
    ['process.exitCode = 3; process.exit()', 3],
  ])('%j ends with its status, at once, and the session goes on', async (code, exitCode) => {
    const result = await run(`globalThis.before = 1;\n${code}`);
    expect(result).toMatchObject({ status: 'error', exitCode, stdout: '', sessionOpen: true });
    expect(await print('before')).toBe('1\n');
  });

  it('with status 0 succeeded', async () => {
    expect(await run('console.log("done"); process.exit(0)')).toMatchObject({
      status: 'ok',
      exitCode: 0,
      stdout: 'done\n',
    });
  });
});

describe('a program of Node that is stopped', () => {
  it.each([
    'while (true);',
    'await null; for (;;);',
    'for (;;) await null;',
    'setInterval(() => {}, 1e5); await new Promise(() => {})',
    'setTimeout(() => { for (;;); }, 1); await new Promise(() => {})',
    'process.nextTick(() => { for (;;); }); await new Promise(() => {})',
    'queueMicrotask(() => { for (;;); }); await new Promise(() => {})',
    'try { for (;;); } catch { for (;;); } finally { for (;;); }',
    'await never({})',
    'for (;;) { try { await never({}) } catch {} }',
    '/^(a+)+$/.test("a".repeat(40) + "b")',
  ])('keeps its session: %s', async (code) => {
    await print('globalThis.kept = 42');
    expect(await run(code, { timeoutMs: 200 })).toMatchObject({
      status: 'timeout',
      // If the session is lost, it says why.
      error: { message: 'the program ran longer than its limit of 200 ms' },
      sessionOpen: true,
    });
    expect(await print('kept')).toBe('42\n');
  });

  it('at any moment keeps its session too', async () => {
    // It would end by itself if nothing were left to wait for.
    const waiting = 'setInterval(() => {}, 1e5); await new Promise(() => {})';
    const programs = ['while (true);', 'for (;;) await null;', waiting];
    await print('globalThis.kept = 42');
    for (let turn = 0; turn < 90; turn += 1) {
      const stop = AbortSignal.timeout(turn % 9);
      const result = await run(programs[turn % 3] ?? '', { signal: stop });
      expect(result).toMatchObject({ status: 'cancelled', sessionOpen: true });
    }
    expect(await print('kept')).toBe('42\n');
  });
});

describe('the names of a program of Node', () => {
  it('may be any: none is taken by what started the interpreter', async () => {
    expect(
      await print(
        'const path = require("node:path"), fs = 1, vm = 2, Buffer = 3;\nlet bundle = 4, sources = 5, modules = 6, load = 7, start = 8;\nfunction exports() {}\n[path.sep, fs + vm + Buffer, bundle + sources + modules + load + start]',
      ),
    ).toBe("[ '/', 6, 30 ]\n");
    await print(
      'class Map {}\nclass Set {}\nconst [process, JSON, String] = [1, 2, 3];\nclass Error {}',
    );
    expect(await print('const { a } = await find_orders({ a: [new Map()] });\n[a, process]')).toBe(
      '[ [ {} ], 1 ]\n',
    );
    await bench.executor.closeAllSessions();
  });
});

describe('what a program of Node may do to its interpreter', () => {
  it('is its own affair: it is not undone, and the next program runs', async () => {
    await run(
      'JSON.parse = JSON.stringify = null; Promise.prototype.then = 1; Map.prototype.get = null; Array.prototype.push = 5; console.log("patched")',
    );
    const { status, stdout } = await bench.runOnce('1 + 1');
    expect({ status, stdout }).toEqual({ status: 'ok', stdout: '2\n' });
    await bench.executor.closeAllSessions();
  });

  it('has no way to other processes, and none to files beyond /tmp', async () => {
    const { error } = await run('require("node:child_process").execSync("id")');
    expect(error?.traceback).toContain("permission: 'ChildProcess'");
    const write = await run('await import("node:fs").then((fs) => fs.writeFileSync("/etc/x", ""))');
    expect(write.error?.traceback).toContain("permission: 'FileSystemWrite'");
    const thread = await run('new (require("node:worker_threads").Worker)("1", { eval: true })');
    expect(thread.error?.traceback).toContain("permission: 'WorkerThreads'");
  });
});

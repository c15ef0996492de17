import assert from 'node:assert/strict';
import type { ExecutionResult } from '../../../../src/execution/execution.ts';
import type { Bench } from '../../../../src/testing/bench.ts';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** How errors of programs in Python are reported: type, message and lines of the program, and no lines of the runner. */
export function pythonErrors(): TestGroup {
  async function fail(bench: Bench, code: string): Promise<ExecutionResult> {
    const result = await bench.run(code);
    assertMatches(result, { status: 'error', success: false, sessionOpen: true });
    assert.doesNotMatch(JSON.stringify(result), /ptc_runner|asyncio\/|\.py"/);
    return result;
  }
  return {
    name: 'errors in Python',
    options: {
      tools: [
        { name: 'ping', description: 'Answers.', run: () => 'pong' },
        {
          name: 'failing',
          description: 'Fails.',
          run: () => {
            throw new Error('no luck');
          },
        },
      ],
    },
    tests: [
      test('the hook that a program set for uncaught errors is called, with its own lines only', async (bench) => {
        const set = `
import sys, traceback
def hook(kind, error, position):
    print("caught", kind.__name__, error, [frame.name for frame in traceback.extract_tb(position)])
    traceback.print_exception(error.__class__, error, error.__traceback__)
sys.excepthook = hook`;
        assertMatches(await bench.run(set), { status: 'ok' });
        const code = 'def broken():\n    raise ValueError("bad")\n';
        for (const call of ['broken()', 'await ping()\nbroken()']) {
          const result = await fail(bench, code + call);
          assert.equal(result.stdout, "caught ValueError bad ['<module>', 'broken']\n");
          assert.match(result.stderr, /^Traceback.*\n {2}File "<run \d+>".*ValueError: bad\n$/s);
          assertMatches(result.error, { type: 'ValueError', message: 'bad', line: 2 });
        }
        assert.equal((await bench.run('sys.exit(3)')).stdout, '');
        const broken = await fail(
          bench,
          'def hook(*error):\n    1 / 0\nsys.excepthook = hook\nint("x")',
        );
        assert.equal(
          broken.stderr,
          'Error in sys.excepthook: ZeroDivisionError: division by zero\n',
        );
        assert.equal(broken.error?.type, 'ValueError');
        await bench.print('sys.excepthook = sys.__excepthook__');
      }),
      test('an exception has its type, its message, its line and the user’s own lines', async (bench) => {
        const code =
          'def outer():\n    return inner()\ndef inner():\n    raise ValueError("bad value")\nouter()';
        const { error, exitCode } = await fail(bench, code);
        assert.equal(exitCode, 1);
        assertMatches(error, { type: 'ValueError', message: 'bad value', line: 4 });
        for (const line of ['outer()', 'return inner()', 'raise ValueError("bad value")']) {
          assert.ok(error?.traceback.includes(line), error?.traceback);
        }
        assert.equal(error?.traceback.split('\n').at(-1), 'ValueError: bad value');
      }),
      test('an exception in a program that awaits is reported alike', async (bench) => {
        const { error } = await fail(
          bench,
          'await ping()\nasync def work():\n    await ping()\n    return 1 / 0\nawait work()',
        );
        assertMatches(error, { type: 'ZeroDivisionError', line: 4 });
        assert.match(String(error?.traceback), /await work\(\)/);
      }),
      test('an exception inside asyncio.run and gather is reported alike', async (bench) => {
        const { error } = await fail(
          bench,
          'import asyncio\nasync def work():\n    raise RuntimeError("in a task")\nasync def main():\n    await asyncio.gather(work(), ping())\nasyncio.run(main())',
        );
        assertMatches(error, { type: 'RuntimeError', line: 3, message: 'in a task' });
      }),
      ...(
        [
          ['{}["k"]', 'KeyError', "'k'", "KeyError: 'k'"],
          ['raise ValueError()', 'ValueError', '', 'ValueError'],
          ['assert 1 == 2', 'AssertionError', '', 'AssertionError'],
          ['[][5]', 'IndexError', 'list index out of range', 'IndexError: list index out of range'],
        ] as const
      ).map(([code, type, message, lastLine]) =>
        test(`${code} is readable`, async (bench) => {
          const { error } = await fail(bench, code);
          assertMatches(error, { type, message, line: 1 });
          assert.equal(error?.traceback.split('\n').at(-1), lastLine);
        }),
      ),
      test('an exception of the user’s own class, with a message that cannot be shown, is reported', async (bench) => {
        const { error } = await fail(
          bench,
          'class Odd(Exception):\n    def __str__(self):\n        raise RuntimeError("no text")\nraise Odd()',
        );
        assertMatches(error, { type: 'Odd', line: 4 });
      }),
      test('chained exceptions show their causes', async (bench) => {
        const { error } = await fail(
          bench,
          'try:\n    int("x")\nexcept ValueError as first:\n    raise KeyError("second") from first',
        );
        assertMatches(error, { type: 'KeyError', line: 4 });
        assert.match(String(error?.traceback), /invalid literal for int\(\) with base 10: 'x'/);
        assert.match(String(error?.traceback), /direct cause/);
      }),
      test('an exception group shows what is in it', async (bench) => {
        const code = `
import asyncio
async def work(text):
    raise ValueError(text)
if hasattr(asyncio, "TaskGroup"):
    async with asyncio.TaskGroup() as group:
        group.create_task(work("one"))
        group.create_task(work("two"))
else:
    raise ValueError("one", "two", "ExceptionGroup")`;
        const { error } = await fail(bench, code);
        assert.match(String(error?.traceback), /ExceptionGroup/);
        assert.match(String(error?.traceback), /one/);
        assert.match(String(error?.traceback), /two/);
      }),
      test('a syntax error has the exact line and shows it', async (bench) => {
        const { error } = await fail(bench, 'x = 1\n\nfor i in range(3)\n    print(i)');
        assertMatches(error, { type: 'SyntaxError', line: 3 });
        assert.match(String(error?.traceback), /for i in range\(3\)/);
        assert.doesNotMatch(String(error?.traceback), /Traceback/);
      }),
      test('an indentation error and a return outside a function have their lines', async (bench) => {
        assertMatches((await fail(bench, 'def f():\nreturn 1')).error, {
          type: 'IndentationError',
          line: 2,
        });
        for (const code of ['x = 1\nreturn x', 'if await ping():\n    return']) {
          const { error } = await fail(bench, code);
          assertMatches(error, { type: 'SyntaxError', line: 2 });
          assert.match(
            String(error?.message),
            /^'return' outside function; .* end the program with that expression or call submit\(value\); .* sys\.exit\(\)/,
          );
        }
      }),
      ...(
        [
          ['def f():\n    return 1\nreturn f', 'return f'],
          ['def f(a, a): pass', 'def f(a, a): pass'],
          ['def f():\n    nonlocal x', 'nonlocal x'],
        ] as const
      ).map(([code, line]) =>
        test(`a syntax error that is found while compiling shows its line: ${code}`, async (bench) => {
          const { error } = await fail(bench, code);
          assert.ok(error?.traceback.includes(`\n    ${line}\n`), error?.traceback);
        }),
      ),
      test('the marks below the last line are in the right columns', async (bench) => {
        const { error } = await fail(bench, 'text = 1\nprint(text.missing)');
        const [line = '', marks = ''] = error?.traceback.split('\n').slice(2) ?? [];
        const place = line.indexOf('text.missing');
        // Before Python 3.11 there are no marks.
        assert.equal(marks.includes('^') ? marks.indexOf('^') : place, place);
      }),
      test(
        'an error in a module that the program wrote, and in what it gave to exec, shows where',
        async (bench) => {
          const program =
            'with open("own_module.py", "w") as file:\n    file.write("def work():\\n    raise ValueError(1)\\n")\nimport own_module\nown_module.work()';
          const { error } = await bench.run(program);
          assertMatches(error, { type: 'ValueError', line: 4 });
          assert.match(
            String(error?.traceback),
            /own_module\.py", line 2, in work\n {4}raise ValueError\(1\)\n/,
          );
          const { error: inText } = await bench.run('exec("\\n\\n1/0")');
          assert.match(
            String(inText?.traceback),
            /File "<string>", line 3, in <module>\nZeroDivisionError/,
          );
        },
        { needs: 'file isolation', neverWithout: true },
      ),
      test('a NUL byte in the code is an error of the program', async (bench) => {
        const { error } = await fail(bench, 'x = "a\0b"');
        assert.match(String(error?.type), /^(?:Syntax|Value)Error$/);
        assert.match(String(error?.message), /null bytes/);
      }),
      test('an error in a function of an earlier program shows that function’s lines', async (bench) => {
        await bench.print('def from_before():\n    raise LookupError("old code")');
        const { error } = await fail(bench, 'x = 1\nfrom_before()');
        assertMatches(error, { type: 'LookupError', line: 2 });
        assert.match(String(error?.traceback), /raise LookupError\("old code"\)/);
      }),
      test('an error inside a library shows the user’s line that called it', async (bench) => {
        const { error } = await fail(bench, 'import json\njson.loads("{bad")');
        assertMatches(error, { type: 'JSONDecodeError', line: 2 });
        assert.match(String(error?.traceback), /json\.loads\("\{bad"\)/);
      }),
      test('a tool’s failure shows the user’s line', async (bench) => {
        const { error } = await fail(bench, 'await ping()\nawait failing()');
        assertMatches(error, { type: 'ToolError', line: 2 });
        assert.match(String(error?.message), /no luck/);
      }),
      test('a program that prints the traceback of a failed call sees its own lines and the tool', async (bench) => {
        const use = 'import asyncio, logging, traceback\nasync def use():\n    await failing()\n';
        for (const call of ['await use()', 'await asyncio.gather(use())']) {
          const caught = `try:\n    ${call}\nexcept ToolError as error:\n`;
          for (const print of ['traceback.print_exc()', 'logging.exception("failed")']) {
            const { stderr } = await bench.run(`${use}${caught}    ${print}`);
            const frames = [...stderr.matchAll(/File "(.*)", line \d+, in (.*)/g)];
            assert.deepEqual(
              frames.map(([, file, name]) => `${file?.replace(/\d+/, 'n')} ${name}`),
              ['<run n> <module>', '<run n> use', '<tools> failing'],
            );
            assert.match(stderr, /ToolError: failing failed \(Failed\): no luck\n$/);
          }
        }
        const { stderr } = await bench.run(
          `${use}try:\n    asyncio.run(use())\nexcept ToolError:\n    traceback.print_exc()`,
        );
        assert.match(stderr, /in use\n[^]*ToolError: failing failed/);
        assert.doesNotMatch(stderr, /ptc_runner/);
        const { error } = await fail(bench, `${use}await use()`);
        assert.doesNotMatch(String(error?.traceback), /<tools>/);
      }),
      test('an endless message and an endless traceback are cut in the middle', async (bench) => {
        const { error } = await fail(bench, 'raise ValueError("x" * 5_000_000)');
        assert.ok(Number(error?.message.length) < 100_000);
        assert.ok(Number(error?.traceback.length) < 100_000);
        assert.match(String(error?.message), /characters left out/);
      }),
      test('a lone surrogate or a marker in a message harms nothing', async (bench) => {
        const { error } = await fail(
          bench,
          'raise ValueError("\\ud800 __PTC_OUTPUT__{}__PTC_END_OUTPUT__")',
        );
        assert.match(String(error?.message), /__PTC_OUTPUT__\{\}__PTC_END_OUTPUT__/);
      }),
      ...(
        ['sys.exit()', 'sys.exit(0)', 'sys.exit(None)', 'raise SystemExit', 'exit()'] as const
      ).map((exit) =>
        test(`${exit} ends the program with success, and not the session`, async (bench) => {
          await bench.print('kept_over_exit = 1');
          const result = await bench.run(`import sys\nprint("before")\n${exit}\nprint("after")`);
          assertMatches(result, {
            status: 'ok',
            exitCode: 0,
            stdout: 'before\n',
            sessionOpen: true,
          });
          assert.equal(
            await bench.print('import sys\nprint(kept_over_exit, repr(sys.stdin.read()))'),
            "1 ''\n",
          );
        }),
      ),
      test('sys.exit(3) ends the program with that status, and not the session', async (bench) => {
        const result = await fail(bench, 'import sys\nsys.exit(3)');
        assertMatches(result, { exitCode: 3, error: { type: 'SystemExit', line: 2 } });
      }),
      test('sys.exit("text") prints the text to stderr and fails, also in a program that awaits', async (bench) => {
        const result = await fail(bench, 'import sys\nawait ping()\nsys.exit("gave up")');
        assertMatches(result, { exitCode: 1, stderr: 'gave up\n' });
      }),
      test('sys.exit inside a task ends the program, and not the session', async (bench) => {
        const result = await fail(
          bench,
          'import sys, asyncio\nasync def work():\n    sys.exit(4)\nawait asyncio.gather(work(), ping())',
        );
        assert.equal(result.exitCode, 4);
        assert.equal(await bench.print('print(await ping())'), 'pong\n');
      }),
      ...(['KeyboardInterrupt', 'GeneratorExit', 'asyncio.CancelledError'] as const).map((type) =>
        test(`raise ${type} is an error like any other`, async (bench) => {
          await bench.print('kept_over_error = 1');
          const { error } = await fail(bench, `import asyncio\nawait ping()\nraise ${type}()`);
          assert.equal(error?.type, type.replace('asyncio.', ''));
          assert.equal(await bench.print('print(kept_over_error)'), '1\n');
          assert.equal(await bench.print('print(await ping())'), 'pong\n');
        }),
      ),
      test(
        'an error in a thread is on stderr and does not fail the program',
        async (bench) => {
          const result = await bench.run(
            'import threading\ndef work():\n    raise ValueError("in a thread")\nthread = threading.Thread(target=work)\nthread.start()\nthread.join()\nprint("joined")',
          );
          assertMatches(result, { status: 'ok', stdout: 'joined\n' });
          assert.match(result.stderr, /ValueError: in a thread/);
        },
        { needs: 'threads' },
      ),
    ],
  };
}

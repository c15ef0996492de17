import { describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import { itNeeds, useBench, type Subject } from './subject.ts';

/** What a program is told of its own errors: type, message, its own lines, nothing of ours. */
export function describeErrors(subject: Subject): void {
  describe('errors of programs', () => {
    const bench = useBench(subject, {
      toolList: [
        { name: 'ping', description: 'Answers.', run: () => 'pong' },
        {
          name: 'failing',
          description: 'Fails.',
          run: () => {
            throw new Error('no luck');
          },
        },
      ],
    });
    const { print } = bench;

    async function fail(code: string): Promise<ExecutionResult> {
      const result = await bench.run(code);
      expect(result).toMatchObject({ status: 'error', success: false, sessionOpen: true });
      expect(JSON.stringify(result)).not.toMatch(/ptc_runner|asyncio\/|\.py"/);
      return result;
    }

    it('the hook that a program set for uncaught errors is called, with its own lines only', async () => {
      const set = `
import sys, traceback
def hook(kind, error, position):
    print("caught", kind.__name__, error, [frame.name for frame in traceback.extract_tb(position)])
    traceback.print_exception(error.__class__, error, error.__traceback__)
sys.excepthook = hook`;
      expect(await bench.run(set)).toMatchObject({ status: 'ok' });
      const code = 'def broken():\n    raise ValueError("bad")\n';
      for (const call of ['broken()', 'await ping()\nbroken()']) {
        const result = await fail(code + call);
        expect(result.stdout).toBe("caught ValueError bad ['<module>', 'broken']\n");
        expect(result.stderr).toMatch(/^Traceback.*\n {2}File "<run \d+>".*ValueError: bad\n$/s);
        expect(result.error).toMatchObject({ type: 'ValueError', message: 'bad', line: 2 });
      }
      expect((await bench.run('sys.exit(3)')).stdout).toBe('');
      const broken = await fail('def hook(*error):\n    1 / 0\nsys.excepthook = hook\nint("x")');
      expect(broken.stderr).toBe('Error in sys.excepthook: ZeroDivisionError: division by zero\n');
      expect(broken.error?.type).toBe('ValueError');
      await print('sys.excepthook = sys.__excepthook__');
    });

    it('an exception has its type, its message, its line and the user’s own lines', async () => {
      const code =
        'def outer():\n    return inner()\ndef inner():\n    raise ValueError("bad value")\nouter()';
      const { error, exitCode } = await fail(code);
      expect(exitCode).toBe(1);
      expect(error).toMatchObject({ type: 'ValueError', message: 'bad value', line: 4 });
      for (const line of ['outer()', 'return inner()', 'raise ValueError("bad value")']) {
        expect(error?.traceback).toContain(line);
      }
      expect(error?.traceback.split('\n').at(-1)).toBe('ValueError: bad value');
    });

    it('an exception in a program that awaits is reported alike', async () => {
      const { error } = await fail(
        'await ping()\nasync def work():\n    await ping()\n    return 1 / 0\nawait work()',
      );
      expect(error).toMatchObject({ type: 'ZeroDivisionError', line: 4 });
      expect(error?.traceback).toContain('await work()');
    });

    it('an exception inside asyncio.run and gather is reported alike', async () => {
      const { error } = await fail(
        'import asyncio\nasync def work():\n    raise RuntimeError("in a task")\nasync def main():\n    await asyncio.gather(work(), ping())\nasyncio.run(main())',
      );
      expect(error).toMatchObject({ type: 'RuntimeError', line: 3, message: 'in a task' });
    });

    it.each([
      ['{}["k"]', 'KeyError', "'k'", "KeyError: 'k'"],
      ['raise ValueError()', 'ValueError', '', 'ValueError'],
      ['assert 1 == 2', 'AssertionError', '', 'AssertionError'],
      ['[][5]', 'IndexError', 'list index out of range', 'IndexError: list index out of range'],
    ])('%s is readable', async (code, type, message, lastLine) => {
      const { error } = await fail(code);
      expect(error).toMatchObject({ type, message, line: 1 });
      expect(error?.traceback.split('\n').at(-1)).toBe(lastLine);
    });

    it('an exception of the user’s own class, with a message that cannot be shown, is reported', async () => {
      const { error } = await fail(
        'class Odd(Exception):\n    def __str__(self):\n        raise RuntimeError("no text")\nraise Odd()',
      );
      expect(error).toMatchObject({ type: 'Odd', line: 4 });
    });

    it('chained exceptions show their causes', async () => {
      const { error } = await fail(
        'try:\n    int("x")\nexcept ValueError as first:\n    raise KeyError("second") from first',
      );
      expect(error).toMatchObject({ type: 'KeyError', line: 4 });
      expect(error?.traceback).toContain("invalid literal for int() with base 10: 'x'");
      expect(error?.traceback).toContain('direct cause');
    });

    it('an exception group shows what is in it', async () => {
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
      const { error } = await fail(code);
      expect(error?.traceback).toContain('ExceptionGroup');
      expect(error?.traceback).toContain('one');
      expect(error?.traceback).toContain('two');
    });

    it('a syntax error has the exact line and shows it', async () => {
      const { error } = await fail('x = 1\n\nfor i in range(3)\n    print(i)');
      expect(error).toMatchObject({ type: 'SyntaxError', line: 3 });
      expect(error?.traceback).toContain('for i in range(3)');
      expect(error?.traceback).not.toContain('Traceback');
    });

    it('an indentation error and a return outside a function have their lines', async () => {
      expect((await fail('def f():\nreturn 1')).error).toMatchObject({
        type: 'IndentationError',
        line: 2,
      });
      expect((await fail('x = 1\nreturn x')).error).toMatchObject({ type: 'SyntaxError', line: 2 });
    });

    it.each([
      ['def f():\n    return 1\nreturn f', 'return f'],
      ['def f(a, a): pass', 'def f(a, a): pass'],
      ['def f():\n    nonlocal x', 'nonlocal x'],
    ])('a syntax error that is found while compiling shows its line: %s', async (code, line) => {
      expect((await fail(code)).error?.traceback).toContain(`\n    ${line}\n`);
    });

    it('the marks below the last line are in the right columns', async () => {
      const { error } = await fail('text = 1\nprint(text.missing)');
      const [line = '', marks = ''] = error?.traceback.split('\n').slice(2) ?? [];
      const place = line.indexOf('text.missing');
      // Before Python 3.11 there are no marks.
      expect(marks.includes('^') ? marks.indexOf('^') : place).toBe(place);
    });

    it('an error in a module that the program wrote, and in what it gave to exec, shows where', async () => {
      const program =
        'with open("own_module.py", "w") as file:\n    file.write("def work():\\n    raise ValueError(1)\\n")\nimport own_module\nown_module.work()';
      const { error } = await bench.run(program);
      expect(error).toMatchObject({ type: 'ValueError', line: 4 });
      expect(error?.traceback).toMatch(
        /own_module\.py", line 2, in work\n {4}raise ValueError\(1\)\n/,
      );
      const { error: inText } = await bench.run('exec("\\n\\n1/0")');
      expect(inText?.traceback).toMatch(/File "<string>", line 3, in <module>\nZeroDivisionError/);
    });

    it('a NUL byte in the code is an error of the program', async () => {
      const { error } = await fail('x = "a\0b"');
      expect(['SyntaxError', 'ValueError']).toContain(error?.type);
      expect(error?.message).toMatch(/null bytes/);
    });

    it('an error in a function of an earlier run shows that function’s lines', async () => {
      await print('def from_before():\n    raise LookupError("old code")');
      const { error } = await fail('x = 1\nfrom_before()');
      expect(error).toMatchObject({ type: 'LookupError', line: 2 });
      expect(error?.traceback).toContain('raise LookupError("old code")');
    });

    it('an error inside a library shows the user’s line that called it', async () => {
      const { error } = await fail('import json\njson.loads("{bad")');
      expect(error).toMatchObject({ type: 'JSONDecodeError', line: 2 });
      expect(error?.traceback).toContain('json.loads("{bad")');
    });

    it('a tool’s failure shows the user’s line', async () => {
      const { error } = await fail('await ping()\nawait failing()');
      expect(error).toMatchObject({ type: 'ToolError', line: 2 });
      expect(error?.message).toContain('no luck');
    });

    it('an endless message and an endless traceback are cut in the middle', async () => {
      const { error } = await fail('raise ValueError("x" * 5_000_000)');
      expect(error?.message.length).toBeLessThan(100_000);
      expect(error?.traceback.length).toBeLessThan(100_000);
      expect(error?.message).toContain('characters left out');
    });

    it('a lone surrogate or a marker in a message harms nothing', async () => {
      const { error } = await fail(
        'raise ValueError("\\ud800 __PTC_OUTPUT__{}__PTC_END_OUTPUT__")',
      );
      expect(error?.message).toContain('__PTC_OUTPUT__{}__PTC_END_OUTPUT__');
    });

    it.each(['sys.exit()', 'sys.exit(0)', 'sys.exit(None)', 'raise SystemExit', 'exit()'])(
      '%s ends the run with success, and not the session',
      async (exit) => {
        await print('kept_over_exit = 1');
        const result = await bench.run(`import sys\nprint("before")\n${exit}\nprint("after")`);
        expect(result).toMatchObject({
          status: 'ok',
          exitCode: 0,
          stdout: 'before\n',
          sessionOpen: true,
        });
        expect(await print('import sys\nprint(kept_over_exit, repr(sys.stdin.read()))')).toBe(
          "1 ''\n",
        );
      },
    );

    it('sys.exit(3) ends the run with that status, and not the session', async () => {
      const result = await fail('import sys\nsys.exit(3)');
      expect(result).toMatchObject({ exitCode: 3, error: { type: 'SystemExit', line: 2 } });
    });

    it('sys.exit("text") prints the text to stderr and fails, also in a program that awaits', async () => {
      const result = await fail('import sys\nawait ping()\nsys.exit("gave up")');
      expect(result).toMatchObject({ exitCode: 1, stderr: 'gave up\n' });
    });

    it('sys.exit inside a task ends the run, and not the session', async () => {
      const result = await fail(
        'import sys, asyncio\nasync def work():\n    sys.exit(4)\nawait asyncio.gather(work(), ping())',
      );
      expect(result.exitCode).toBe(4);
      expect(await print('print(await ping())')).toBe('pong\n');
    });

    it.each(['KeyboardInterrupt', 'GeneratorExit', 'asyncio.CancelledError'])(
      'raise %s is an error like any other',
      async (type) => {
        const { error } = await fail(`import asyncio\nawait ping()\nraise ${type}()`);
        expect(error?.type).toBe(type.replace('asyncio.', ''));
        expect(await print('print(await ping())')).toBe('pong\n');
      },
    );

    itNeeds('threads', subject, 'an error in a thread is on stderr and fails no run', async () => {
      const result = await bench.run(
        'import threading\ndef work():\n    raise ValueError("in a thread")\nthread = threading.Thread(target=work)\nthread.start()\nthread.join()\nprint("joined")',
      );
      expect(result).toMatchObject({ status: 'ok', stdout: 'joined\n' });
      expect(result.stderr).toContain('ValueError: in a thread');
    });
  });
}

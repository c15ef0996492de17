import { describe, expect, it } from 'vitest';
import { useBench, type Subject } from './subject.ts';

/** What a model writes must run as it expects: state, syntax, values. */
export function describePrograms(subject: Subject): void {
  describe('programs', () => {
    const bench = useBench(subject);
    const { print, run } = bench;

    it('await works at the top level', async () => {
      expect(await print('import asyncio\nawait asyncio.sleep(0)\nprint("awaited")')).toBe(
        'awaited\n',
      );
    });

    it('variables, functions, classes and imports are there in the next run', async () => {
      await print(
        'import math\nkept = 41\ndef double(x):\n    return 2 * x\nclass Point:\n    def __init__(self, x):\n        self.x = x',
      );
      expect(await print('kept += 1\nprint(kept, double(kept), Point(3).x, math.floor(2.5))')).toBe(
        '42 84 3 2\n',
      );
    });

    it('a variable of a program that awaits is there in the next run, and in its functions', async () => {
      await print(
        'import asyncio\nawait asyncio.sleep(0)\nrate = 3\ndef total(x):\n    return x * rate',
      );
      expect(await print('rate = 5\nprint(total(2))')).toBe('10\n');
    });

    it('variables that were set before an error stay', async () => {
      const failed = await run('before_error = 7\nraise ValueError("no")');
      expect(failed).toMatchObject({ status: 'error', sessionOpen: true });
      expect(await print('print(before_error)')).toBe('7\n');
    });

    it('multi-line strings stay as they were written, without added indentation', async () => {
      expect(await print('text = """a\n  b\n\tc\n\n    d"""\nprint(text)')).toBe(
        'a\n  b\n\tc\n\n    d\n',
      );
      expect(await print('import asyncio\nawait asyncio.sleep(0)\nprint("""x\ny""")')).toBe(
        'x\ny\n',
      );
    });

    it('code that is indented with tabs runs', async () => {
      expect(await print('for i in range(2):\n\tif i:\n\t\tprint("tab", i)')).toBe('tab 1\n');
    });

    it('from x import * works at the top level, with and without an await', async () => {
      expect(await print('from math import *\nprint(floor(pi))')).toBe('3\n');
      expect(
        await print('import asyncio\nawait asyncio.sleep(0)\nfrom string import *\nprint(digits)'),
      ).toBe('0123456789\n');
    });

    it.each(['', '\n\n', '# nothing but a comment', '   \n\t\n# and blanks'])(
      'a program with no statement succeeds and prints nothing: %j',
      async (code) => {
        expect(await run(code)).toMatchObject({
          status: 'ok',
          stdout: '',
          stderr: '',
          exitCode: 0,
        });
      },
    );

    it('the user has a name', async () => {
      expect(await bench.print('import getpass\nprint(len(getpass.getuser()) > 0)')).toBe('True\n');
    });

    it('files beside the program are found by its __file__', async () => {
      const code = `
import os
from pathlib import Path
Path("beside.txt").write_text("found")
print(open(os.path.join(os.path.dirname(__file__), "beside.txt")).read())
print(Path(__file__).resolve().parent == Path.cwd().resolve(), os.path.exists(__file__))`;
      expect(await bench.print(code)).toBe('found\nTrue False\n');
    });

    it('inspect has the source of classes of each program', async () => {
      await bench.print('x = 1\nclass Early:\n    size = 1');
      const code = `
import inspect
def decorate(cls): return cls
@decorate
class Late(Early):
    size = 2
print(inspect.getsource(Early), inspect.getsource(Late), inspect.getsource(decorate), sep="", end="")
print(inspect.getfile(inspect.Signature).endswith("inspect.py"))`;
      expect(await bench.print(code)).toBe(
        'class Early:\n    size = 1\n@decorate\nclass Late(Early):\n    size = 2\ndef decorate(cls): return cls\nTrue\n',
      );
    });

    it('the value of a last expression is shown', async () => {
      expect(await print('1 + 1')).toBe('2\n');
      expect(await print('{"a": [1, "x"]}')).toBe("{'a': [1, 'x']}\n");
      expect(await print('import asyncio\nasync def seven():\n    return 7\nawait seven()')).toBe(
        '7\n',
      );
    });

    it('the value of a last expression is shown on a line below what was printed, but no None', async () => {
      expect(await print('print("said")\n1 + 1')).toBe('said\n2\n');
      expect(await print('print("said", end="")\n1 + 1')).toBe('said\n2\n');
      expect(await print('None')).toBe('');
      expect(await print('value = 5')).toBe('');
    });

    it('code that is indented as a whole runs, and its errors have their lines and columns', async () => {
      const code = `
    # of a method
    import asyncio
    if True:
        text = """one
two"""
    await asyncio.sleep(0)
    print(text)
    len(text)`;
      expect(await print(code)).toBe('one\ntwo\n7\n');
      const failed = await run('    x = 1\n    y = x / 0');
      expect(failed.error).toMatchObject({ type: 'ZeroDivisionError', line: 2 });
      expect(failed.error?.traceback).toMatch(/, line 2, in <module>\n {4}y = x \/ 0\n/);
      const wrong = await run('    x = 1\n    def f():\n    return x\n');
      expect(wrong.error).toMatchObject({ type: 'IndentationError', line: 3 });
      expect(wrong.error?.traceback).not.toMatch(/During handling|line [14]\b/);
      for (const uneven of [
        '    x = 1\ny = 2',
        'x = 1\n    y = 2',
        '    x = 1\nelse:\n    y = 2',
      ]) {
        expect((await run(uneven)).error).toMatchObject({ type: 'IndentationError' });
      }
    });

    it.each([
      ['x = 1\n!ls -la', /'!ls -la' is a command of IPython/, 2],
      ['files = !ls', /'!ls' is a command of IPython/, 1],
      ['if True:\n    !pip install x', /'!pip install x': nothing can be installed here/, 2],
      ['%pip install pandas', /'%pip install pandas': nothing can be installed here/, 1],
      ['%matplotlib inline\nx = 1', /'%matplotlib inline' is a command of IPython/, 1],
      ['%%bash\nls', /'%%bash' is a command of IPython.*; leave it out/, 1],
      ['    x = 1\n    %timeit x', /'%timeit x' is a command of IPython/, 2],
    ])('a command of IPython fails with what to do: %j', async (code, message, line) => {
      const { status, error } = await run(code);
      expect({ status, type: error?.type, line: error?.line }).toEqual({
        status: 'error',
        type: 'SyntaxError',
        line,
      });
      expect(error?.message).toMatch(message);
      expect(error?.traceback).not.toMatch(/During handling/);
    });

    it('display shows values, and get_ipython is not there', async () => {
      expect(await print('display([1, "x"], None)\ndisplay({"a": 1})')).toBe(
        "[1, 'x']\nNone\n{'a': 1}\n",
      );
      const { error } = await run('get_ipython().system("ls")');
      expect(error?.message).toBe("name 'get_ipython' is not defined: this is plain Python");
      expect(await print('try: get_ipython()\nexcept NameError as error: print(error)')).toBe(
        "name 'get_ipython' is not defined\n",
      );
    });

    it('code inside a Markdown fence runs', async () => {
      expect(await print('```python\nprint("fenced")\n```')).toBe('fenced\n');
      expect(await print('\n```py\nprint("short")\n```\n')).toBe('short\n');
      expect(await print('```\nprint("bare")\n```')).toBe('bare\n');
    });

    it('a fence inside a string is part of the program', async () => {
      expect(await print('text = """\n```python\nx = 1\n```\n"""\nprint(text.count("`"))')).toBe(
        '6\n',
      );
    });

    it('if __name__ == "__main__" holds', async () => {
      expect(
        await print('def main():\n    print("main ran")\n\nif __name__ == "__main__":\n    main()'),
      ).toBe('main ran\n');
    });

    it('dataclasses, pickle and inspect.getsource know what the session defined', async () => {
      await print(
        'from dataclasses import dataclass, asdict\n@dataclass\nclass Order:\n    id: int\n    tags: list\n\ndef source_me(x):\n    # a comment of its own\n    return x + 1',
      );
      expect(
        await print(
          'import pickle, inspect\norder = pickle.loads(pickle.dumps(Order(1, ["a"])))\nprint(asdict(order))\nprint(inspect.getsource(source_me))',
        ),
      ).toBe(
        "{'id': 1, 'tags': ['a']}\ndef source_me(x):\n    # a comment of its own\n    return x + 1\n\n",
      );
    });

    it('decorators, generators, closures, lambdas and comprehensions see the session’s names', async () => {
      await print('factor = 3');
      const code = `
import functools
def scaled(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args) * factor
    return inner
@scaled
@functools.lru_cache
def plus(a, b):
    return a + b
def gen():
    for i in range(3):
        yield i * factor
class Holder:
    values = [x * 2 for x in range(3)]
print(plus(1, 2), list(gen()), [x * factor for x in range(2)], (lambda x: x + factor)(1), Holder.values)`;
      expect(await print(code)).toBe('9 [0, 3, 6] [0, 3] 4 [0, 2, 4]\n');
    });

    it('a future import holds for its program and those after it', async () => {
      await print('from __future__ import annotations\ndef typed(x: Undefined) -> Missing: ...');
      expect(await print('def later(x: AlsoUndefined): ...\nprint(later.__annotations__)')).toBe(
        "{'x': 'AlsoUndefined'}\n",
      );
    });

    it('endless recursion is an error and not the end of the session', async () => {
      const result = await run('def down(n):\n    return down(n + 1)\ndown(0)');
      expect(result).toMatchObject({
        status: 'error',
        sessionOpen: true,
        error: { type: 'RecursionError', line: 2 },
      });
      expect(await print('print("alive")')).toBe('alive\n');
    });

    it('what the program’s modules set up at interpreter level works: with, match, walrus, f-strings', async () => {
      const code = `
import contextlib, io, re, json
with contextlib.redirect_stdout(io.StringIO()) as caught:
    print("inside")
if (found := re.search(r"\\d+", "a12")):
    print(f"{caught.getvalue()!r} {found[0]:>4} {json.dumps({'k': None})}")`;
      expect(await print(code)).toBe('\'inside\\n\'   12 {"k": null}\n');
    });

    it('runs count from the program’s first line, whatever came before it', async () => {
      const result = await run('\n\n\nundefined_name');
      expect(result.error).toMatchObject({ type: 'NameError', line: 4 });
    });

    it('a megabyte of code runs', async () => {
      const lines = Array.from({ length: 30_000 }, (_, i) => `big_${i % 10} = "0123456789abcdef"`);
      const code = `${lines.join('\n')}\nprint(len(big_0))`;
      expect(code.length).toBeGreaterThan(800_000);
      const text = `print(len("""${'x'.repeat(1_000_000)}"""))`;
      expect(await print(code)).toBe('16\n');
      expect(await print(text)).toBe('1000000\n');
    });

    it('a program may write a module and import it', async () => {
      expect(
        await print(
          'open("/tmp/ptc_written_module.py", "w").write("answer = 42\\n")\nimport sys\nsys.path.append("/tmp")\nimport ptc_written_module\nprint(ptc_written_module.answer)\nimport os\nos.remove("/tmp/ptc_written_module.py")',
        ),
      ).toBe('42\n');
    });
  });
}

import assert from 'node:assert/strict';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Programs in Python as a model writes them: syntax, modules, values, and state that stays for the next program. */
export function pythonPrograms(): TestGroup {
  return {
    name: 'programs in Python',
    options: {},
    tests: [
      test('a variable of a program that awaits is there for the next program, and in its functions', async (bench) => {
        await bench.print(
          'import asyncio\nawait asyncio.sleep(0)\nrate = 3\ndef total(x):\n    return x * rate',
        );
        assert.equal(await bench.print('rate = 5\nprint(total(2))'), '10\n');
      }),
      test('multi-line strings stay as they were written, without added indentation', async (bench) => {
        assert.equal(
          await bench.print('text = """a\n  b\n\tc\n\n    d"""\nprint(text)'),
          'a\n  b\n\tc\n\n    d\n',
        );
        assert.equal(
          await bench.print('import asyncio\nawait asyncio.sleep(0)\nprint("""x\ny""")'),
          'x\ny\n',
        );
      }),
      test('code that is indented with tabs runs', async (bench) => {
        assert.equal(
          await bench.print('for i in range(2):\n\tif i:\n\t\tprint("tab", i)'),
          'tab 1\n',
        );
      }),
      test('from x import * works at the top level, with and without an await', async (bench) => {
        assert.equal(await bench.print('from math import *\nprint(floor(pi))'), '3\n');
        assert.equal(
          await bench.print(
            'import asyncio\nawait asyncio.sleep(0)\nfrom string import *\nprint(digits)',
          ),
          '0123456789\n',
        );
      }),
      ...(['', '\n\n', '# nothing but a comment', '   \n\t\n# and blanks'] as const).map((code) =>
        test(`a program with no statement succeeds and prints nothing: ${JSON.stringify(code)}`, async (bench) => {
          assertMatches(await bench.run(code), {
            status: 'ok',
            stdout: '',
            stderr: '',
            exitCode: 0,
          });
        }),
      ),
      test('the user has a name', async (bench) => {
        assert.equal(
          await bench.print('import getpass\nprint(len(getpass.getuser()) > 0)'),
          'True\n',
        );
      }),
      test('files beside the program are found by its __file__', async (bench) => {
        const code = `
import os
from pathlib import Path
Path("beside.txt").write_text("found")
print(open(os.path.join(os.path.dirname(__file__), "beside.txt")).read())
print(Path(__file__).resolve().parent == Path.cwd().resolve(), os.path.exists(__file__))`;
        assert.equal(await bench.print(code), 'found\nTrue False\n');
      }),
      test('inspect has the source of classes of each program', async (bench) => {
        await bench.print('x = 1\nclass Early:\n    size = 1');
        const code = `
import inspect
def decorate(cls): return cls
@decorate
class Late(Early):
    size = 2
print(inspect.getsource(Early), inspect.getsource(Late), inspect.getsource(decorate), sep="", end="")
class Hidden(type):
    @property
    def __module__(cls): raise AttributeError
try: inspect.getfile(Hidden("Kind", (), {}))
except TypeError as error: print(error)
print(inspect.getfile(inspect.Signature).endswith("inspect.py"), inspect.getfile.__module__)`;
        assert.equal(
          await bench.print(code),
          "class Early:\n    size = 1\n@decorate\nclass Late(Early):\n    size = 2\ndef decorate(cls): return cls\n<class '__main__.Kind'> is a built-in class\nTrue inspect\n",
        );
      }),
      test('the value of a last expression is shown', async (bench) => {
        assert.equal(await bench.print('1 + 1'), '2\n');
        assert.equal(await bench.print('{"a": [1, "x"]}'), "{'a': [1, 'x']}\n");
        assert.equal(
          await bench.print('import asyncio\nasync def seven():\n    return 7\nawait seven()'),
          '7\n',
        );
      }),
      test('the value of a last expression is shown on a line below what was printed, but no None', async (bench) => {
        assert.equal(await bench.print('print("said")\n1 + 1'), 'said\n2\n');
        assert.equal(await bench.print('print("said", end="")\n1 + 1'), 'said\n2\n');
        assert.equal(await bench.print('None'), '');
        assert.equal(await bench.print('value = 5'), '');
      }),
      test('code that is indented as a whole runs, and its errors have their lines and columns', async (bench) => {
        const code = `
    # of a method
    import asyncio
    if True:
        text = """one
two"""
    await asyncio.sleep(0)
    print(text)
    len(text)`;
        assert.equal(await bench.print(code), 'one\ntwo\n7\n');
        const failed = await bench.run('    x = 1\n    y = x / 0');
        assertMatches(failed.error, { type: 'ZeroDivisionError', line: 2 });
        assert.match(String(failed.error?.traceback), /, line 2, in <module>\n {4}y = x \/ 0\n/);
        const wrong = await bench.run('    x = 1\n    def f():\n    return x\n');
        assertMatches(wrong.error, { type: 'IndentationError', line: 3 });
        assert.doesNotMatch(String(wrong.error?.traceback), /During handling|line [14]\b/);
        for (const uneven of [
          '    x = 1\ny = 2',
          'x = 1\n    y = 2',
          '    x = 1\nelse:\n    y = 2',
        ]) {
          assertMatches((await bench.run(uneven)).error, { type: 'IndentationError' });
        }
      }),
      ...(
        [
          ['x = 1\n!ls -la', /'!ls -la' is a command of IPython/, 2],
          ['files = !ls', /'!ls' is a command of IPython/, 1],
          ['if True:\n    !pip install x', /'!pip install x': nothing can be installed here/, 2],
          ['%pip install pandas', /'%pip install pandas': nothing can be installed here/, 1],
          ['%matplotlib inline\nx = 1', /'%matplotlib inline' is a command of IPython/, 1],
          ['%%bash\nls', /'%%bash' is a command of IPython.*; leave it out/, 1],
          ['    x = 1\n    %timeit x', /'%timeit x' is a command of IPython/, 2],
        ] as const
      ).map(([code, message, line]) =>
        test(`a command of IPython fails with what to do: ${JSON.stringify(code)}`, async (bench) => {
          const { status, error } = await bench.run(code);
          assert.deepEqual(
            { status, type: error?.type, line: error?.line },
            {
              status: 'error',
              type: 'SyntaxError',
              line,
            },
          );
          assert.match(String(error?.message), message);
          assert.doesNotMatch(String(error?.traceback), /During handling/);
        }),
      ),
      test('display shows values, and get_ipython is not there', async (bench) => {
        assert.equal(
          await bench.print('display([1, "x"], None)\ndisplay({"a": 1})'),
          "[1, 'x']\nNone\n{'a': 1}\n",
        );
        const { error } = await bench.run('get_ipython().system("ls")');
        assert.equal(error?.message, "name 'get_ipython' is not defined: this is plain Python");
        assert.equal(
          await bench.print('try: get_ipython()\nexcept NameError as error: print(error)'),
          "name 'get_ipython' is not defined\n",
        );
      }),
      test('code inside a Markdown fence runs', async (bench) => {
        assert.equal(await bench.print('```python\nprint("fenced")\n```'), 'fenced\n');
        assert.equal(await bench.print('\n```py\nprint("short")\n```\n'), 'short\n');
        assert.equal(await bench.print('```\nprint("bare")\n```'), 'bare\n');
      }),
      test('a fence inside a string is part of the program', async (bench) => {
        assert.equal(
          await bench.print('text = """\n```python\nx = 1\n```\n"""\nprint(text.count("`"))'),
          '6\n',
        );
      }),
      ...['__CODE_END__', '__EXIT_SESSION__', '__PTC_EXIT__{}__PTC_END_EXIT__'].map((line) =>
        test(`a line ${line} in the code cuts nothing off [case 59]`, async (bench) => {
          const code = `text = """\n${line}\n"""\nprint(text.strip())\n# ${line}`;
          assert.equal(await bench.print(code), `${line}\n`);
        }),
      ),
      test('programs of one session that start together run in their order', async (bench) => {
        await using session = await bench.open();
        const outputs = await Promise.all(
          Array.from({ length: 6 }, async (_, i) => {
            const code = i === 0 ? 'seen = [0]' : `seen.append(${i})\nprint(seen)`;
            return (await session.execute(code)).stdout;
          }),
        );
        assert.equal(outputs.at(-1), '[0, 1, 2, 3, 4, 5]\n');
      }),
      test('if __name__ == "__main__" holds', async (bench) => {
        assert.equal(
          await bench.print(
            'def main():\n    print("main ran")\n\nif __name__ == "__main__":\n    main()',
          ),
          'main ran\n',
        );
      }),
      test('dataclasses, pickle and inspect.getsource know what the session defined', async (bench) => {
        await bench.print(
          'from dataclasses import dataclass, asdict\n@dataclass\nclass Order:\n    id: int\n    tags: list\n\ndef source_me(x):\n    # a comment of its own\n    return x + 1',
        );
        assert.equal(
          await bench.print(
            'import pickle, inspect\norder = pickle.loads(pickle.dumps(Order(1, ["a"])))\nprint(asdict(order))\nprint(inspect.getsource(source_me))',
          ),
          "{'id': 1, 'tags': ['a']}\ndef source_me(x):\n    # a comment of its own\n    return x + 1\n\n",
        );
      }),
      test('decorators, generators, closures, lambdas and comprehensions see the session’s names', async (bench) => {
        await bench.print('factor = 3');
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
        assert.equal(await bench.print(code), '9 [0, 3, 6] [0, 3] 4 [0, 2, 4]\n');
      }),
      test('a future import holds for its program and those after it', async (bench) => {
        await bench.print(
          'from __future__ import annotations\ndef typed(x: Undefined) -> Missing: ...',
        );
        assert.equal(
          await bench.print('def later(x: AlsoUndefined): ...\nprint(later.__annotations__)'),
          "{'x': 'AlsoUndefined'}\n",
        );
      }),
      test('what the program’s modules set up at interpreter level works: with, match, walrus, f-strings', async (bench) => {
        const code = `
import contextlib, io, re, json
with contextlib.redirect_stdout(io.StringIO()) as caught:
    print("inside")
if (found := re.search(r"\\d+", "a12")):
    print(f"{caught.getvalue()!r} {found[0]:>4} {json.dumps({'k': None})}")`;
        assert.equal(await bench.print(code), '\'inside\\n\'   12 {"k": null}\n');
      }),
      test('a megabyte of code runs', async (bench) => {
        const lines = Array.from(
          { length: 30_000 },
          (_, i) => `big_${i % 10} = "0123456789abcdef"`,
        );
        const code = `${lines.join('\n')}\nprint(len(big_0))`;
        assert.ok(code.length > 800_000);
        const text = `print(len("""${'x'.repeat(1_000_000)}"""))`;
        assert.equal(await bench.print(code), '16\n');
        assert.equal(await bench.print(text), '1000000\n');
      }),
      test('a module that a program writes is found before one of the standard library', async (bench) => {
        const code = `
import os, sys
with open("colorsys.py", "w") as file:
    file.write("answer = 42")
import colorsys
print(colorsys.answer)
os.remove("colorsys.py")
del sys.modules["colorsys"]`;
        assert.equal(await bench.print(code), '42\n');
      }),
      test('a program may write a module and import it', async (bench) => {
        assert.equal(
          await bench.print(
            'open("/tmp/ptc_written_module.py", "w").write("answer = 42\\n")\nimport sys\nsys.path.append("/tmp")\nimport ptc_written_module\nprint(ptc_written_module.answer)\nimport os\nos.remove("/tmp/ptc_written_module.py")',
          ),
          '42\n',
        );
      }),
    ],
  };
}

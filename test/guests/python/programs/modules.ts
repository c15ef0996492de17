import assert from 'node:assert/strict';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';
import { double } from '../../../../src/testing/toolbox.ts';

/** A program that writes modules with the names of all standard ones, each of which says that it was loaded. */
const REPLACE_ALL = `import os, sys
names = getattr(sys, "stdlib_module_names", None) or {name.partition(".")[0] for name in os.listdir(os.path.dirname(os.__file__))}
text = "import sys\\nprint('hijacked', __name__)\\nprint('hijacked', __name__, file=sys.stderr)\\n"
for name in {*names, "ptc_runner"}:
    open(f"{name}.py", "w").write(text)
for package in ("encodings", "async" "io", "importlib", "ptc_runner/guest/program", "ptc_runner/guest/concurrency"):
    os.makedirs(package)
    for name in ("__init__", "utf_8", "ascii", "latin_1", "util", "runners", "notebook", "values", "event_loop"):
        open(f"{package}/{name}.py", "w").write(text)
print("written")`;

/** Programs of a sandbox without files of its own would find these modules later, and so would others. */
const OWN_DIRECTORY = { needs: 'file isolation', neverWithout: true } as const;

/** Modules that programs write into their directory. */
export function pythonModules(): TestGroup {
  return {
    name: 'modules in Python',
    options: {
      tools: [
        double,
        {
          name: 'fail',
          description: 'Fails.',
          run: async () => Promise.reject(new Error('no luck')),
        },
      ],
    },
    tests: [
      test(
        'a module that a program wrote comes before an installed one of the same name',
        async (bench) => {
          const session = await bench.open();
          const code = `import os, sys
for name in ("code", "test", "own_helper", "_own_helper"):
    open(f"{name}.py", "w").write(f"answer = 'own {name}'")
import code, test, own_helper, _own_helper
print(code.answer, test.answer, own_helper.answer, _own_helper.answer, sep=", ")
print(sys.path[0] == os.getcwd(), [path for path in sys.path if "ptc" in path])`;
          assertMatches(await session.execute(code), {
            status: 'ok',
            stdout: 'own code, own test, own own_helper, own _own_helper\nTrue []\n',
            stderr: '',
          });
          await session.destroy();
        },
        OWN_DIRECTORY,
      ),
      test(
        'modules with the names of standard ones change nothing of how programs run and end',
        async (bench) => {
          // In a new session that runs its first program at once, and this does not name asyncio, the runner has loaded least.
          const run = async (code: string) => bench.run(code);
          assertMatches(await run(REPLACE_ALL), { status: 'ok', stdout: 'written\n', stderr: '' });
          const failed = await run('def f():\n    return nme\nname = 1\nf()');
          assertMatches(failed, {
            status: 'error',
            stdout: '',
            stderr: '',
            error: {
              type: 'NameError',
              line: 2,
              traceback: /^Traceback .*\n  File "<run 2>", line 4/,
            },
          });
          assertMatches(await run('if 1\n  2'), {
            status: 'error',
            stdout: '',
            stderr: '',
            error: {
              type: 'SyntaxError',
              line: 1,
              traceback: /File "<run 3>", line 1\n    if 1\n/,
            },
          });
          assertMatches(await run('  1 + 1\n  !ls'), {
            stdout: '',
            stderr: '',
            error: { type: 'SyntaxError', message: /is a command of IPython/ },
          });
          assertMatches(await run('double(x=1)\nsubmit({"a": [1.5]})'), {
            status: 'ok',
            value: { a: [1.5] },
            stdout: '',
            stderr: /^Warning: line 1: double\(…\) was called without await/,
          });
          assertMatches(await run('await fail()'), { stdout: '', error: { type: 'ToolError' } });
          assertMatches(
            await run(
              'import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    print(await asyncio.gather(double(x=1), double(x=2)))\nasyncio.run(main())\nawait main()\nasyncio.create_task(asyncio.sleep(60))\n"é"',
            ),
            {
              status: 'ok',
              value: 'é',
              stdout: "[2, 4]\n[2, 4]\n'é'\n",
              stderr: /^Warning: background tasks/,
            },
          );
          assertMatches(
            await run(
              'try:\n    raise ExceptionGroup("g", [ValueError(1)])\nexcept NameError:\n    1 / 0',
            ),
            { status: 'error', stdout: '', stderr: '' },
          );
          const { stdout } = await run('import code');
          assert.equal(stdout, 'hijacked code\n');
        },
        OWN_DIRECTORY,
      ),
    ],
  };
}

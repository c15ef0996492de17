import assert from 'node:assert/strict';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';
import { double } from '../../../../src/testing/toolbox.ts';

/** Programs that use asyncio, with and without an event loop that already runs. */
export function asyncio(): TestGroup {
  return {
    name: 'asyncio',
    options: {
      tools: [double],
    },
    tests: [
      test('gather gives the results of tools in the order of the calls', async (bench) => {
        assert.equal(
          await bench.print(
            'import asyncio\nprint(await asyncio.gather(*(double(x=i) for i in range(5))))',
          ),
          '[0, 2, 4, 6, 8]\n',
        );
      }),
      test('an async generator that is left early is closed, and nothing else is said of it', async (bench) => {
        const code = `
import asyncio
async def pages():
    try:
        for number in range(9):
            yield await double(x=number)
    finally:
        await asyncio.sleep(0)
        print("closed")
async for page in pages():
    if page == 4: break
print(page)`;
        assertMatches(await bench.run(code), { status: 'ok', stdout: '4\nclosed\n', stderr: '' });
      }),
      test('create_task, wait_for, as_completed and wait work', async (bench) => {
        const code = `
import asyncio
task = asyncio.create_task(double(x=4))
print(await asyncio.wait_for(double(x=1), timeout=600), await task)
print(sorted([await first for first in asyncio.as_completed([double(x=2), double(x=3)])]))
done, pending = await asyncio.wait([asyncio.create_task(double(x=5))])
print(len(done), len(pending))
try:
    await asyncio.wait_for(asyncio.sleep(60), timeout=0.01)
except asyncio.TimeoutError:
    print("timed out")`;
        assert.equal(await bench.print(code), '2 8\n[4, 6]\n1 0\ntimed out\n');
      }),
      test('TaskGroup works if the version of Python has it', async (bench) => {
        const code = `
import asyncio
if hasattr(asyncio, "TaskGroup"):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(double(x=i)) for i in range(3)]
    print([task.result() for task in tasks])
else:
    print([0, 2, 4])`;
        assert.equal(await bench.print(code), '[0, 2, 4]\n');
      }),
      test('asyncio.run(main()) calls tools, without another await in the program', async (bench) => {
        assert.equal(
          await bench.print(
            'import asyncio\nasync def main():\n    return await double(x=21)\nprint(asyncio.run(main()))',
          ),
          '42\n',
        );
      }),
      test('asyncio.run(main()) calls tools beside a top-level await, and in functions that run in the loop', async (bench) => {
        const code = `
import asyncio
first = await double(x=1)
async def main():
    return await asyncio.gather(double(x=first), double(x=3))
def helper():
    return asyncio.run(main())
print(helper())
print(await double(x=10), asyncio.run(main()))`;
        assert.equal(await bench.print(code), '[4, 6]\n20 [4, 6]\n');
      }),
      test('an error inside asyncio.run(main()) comes out of it, and the loop around it goes on', async (bench) => {
        const code = `
import asyncio
await asyncio.sleep(0)
async def main():
    raise KeyError("inner")
try:
    asyncio.run(main())
except KeyError as error:
    print("caught", error)
print(await double(x=2))`;
        assert.equal(await bench.print(code), "caught 'inner'\n4\n");
      }),
      test('loop.run_until_complete works with the loop that asyncio.get_event_loop() gives', async (bench) => {
        const code = `
import asyncio
loop = asyncio.get_event_loop()
print(loop.run_until_complete(double(x=5)))`;
        assert.equal(await bench.print(code), '10\n');
        assert.equal(await bench.print(code), '10\n');
      }),
      test('a loop that a program made and closed does not hinder the next program', async (bench) => {
        const code = `
import asyncio
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
print(loop.run_until_complete(double(x=6)))
loop.close()`;
        assert.equal(await bench.print(code), '12\n');
        assert.equal(await bench.print('print(await double(x=7))'), '14\n');
      }),
      test('closing the session’s own loop does not hinder the next program', async (bench) => {
        await bench.run('import asyncio\nasyncio.get_event_loop().close()');
        assert.equal(await bench.print('print(await double(x=8))'), '16\n');
        assert.equal(
          await bench.print('import asyncio\nawait asyncio.sleep(0)\nprint("on")'),
          'on\n',
        );
      }),
      test('locks, queues and events work between programs', async (bench) => {
        await bench.print('import asyncio\nqueue = asyncio.Queue()\nawait queue.put("kept")');
        assert.equal(await bench.print('print(await queue.get())'), 'kept\n');
      }),
      test('a forgotten await is reported as just that, with its line', async (bench) => {
        const result = await bench.run('x = 1\nresult = double(x=2)\nprint("went on")');
        assertMatches(result, { status: 'ok', stdout: 'went on\n', toolCalls: 0 });
        assert.match(result.stderr, /line 2: double\(…\) was called without await/);
        assert.match(result.stderr, /await double\(…\)/);
      }),
      test('a forgotten await of a call whose result is dropped, or of the last expression, is reported', async (bench) => {
        const dropped = await bench.run('double(x=1)\nprint("after")');
        assert.match(dropped.stderr, /line 1: double\(…\) was called without await/);
        const last = await bench.run('print("before")\ndouble(x=3)');
        assert.match(last.stderr, /line 2: double\(…\) was called without await/);
        const inLoop = await bench.run(
          'results = []\nfor i in range(2):\n    results.append(double(x=i))',
        );
        assert.match(inLoop.stderr, /line 3: double\(…\) was called without await/);
      }),
      test('a program that records, filters or tests warnings has Python’s own of a forgotten await', async (bench) => {
        const code = `
import unittest, warnings
async def forgotten(): pass
with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("always")
    forgotten()
print([(entry.category.__name__, str(entry.message), entry.filename, entry.lineno) for entry in log])
with unittest.TestCase().assertWarns(RuntimeWarning):
    forgotten()
shown = []
with warnings.catch_warnings():
    warnings.showwarning = lambda message, *rest: shown.append(str(message))
    forgotten()
print(shown)`;
        const message = "coroutine 'forgotten' was never awaited";
        const result = await bench.run(code);
        assert.match(
          result.stdout,
          new RegExp(
            `^\\[\\('RuntimeWarning', "${message}", '<run \\d+>', 6\\)\\]\\n\\["${message}"\\]\\n$`,
          ),
        );
        // The runner also reports the coroutine whose warning the program showed itself.
        assert.match(
          result.stderr,
          /^Warning: line 13: forgotten\(…\) was called without await.*\n$/,
        );
        const raised = await bench.run(
          'with warnings.catch_warnings():\n    warnings.simplefilter("error")\n    forgotten()',
        );
        assert.match(raised.stderr, /^Exception ignored.*RuntimeWarning: coroutine 'forgotten'/s);
        assert.doesNotMatch(raised.stderr, /was called without await/);
      }),
      test('a warning of a forgotten await names callers if the program records them', async (bench) => {
        const code = `
import sys, warnings
async def forgotten(): pass
def caller(): forgotten()
kept = sys.get_coroutine_origin_tracking_depth()
sys.set_coroutine_origin_tracking_depth(1)
with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("always")
    caller()
sys.set_coroutine_origin_tracking_depth(kept)
print(log[0].message)`;
        const { stdout } = await bench.run(code);
        assert.match(
          stdout,
          /^coroutine 'forgotten' .*\nCoroutine created at .*\n  File "<run \d+>", line 4, in caller\n    def caller\(\): forgotten\(\)\n$/,
        );
      }),
      test('a forgotten await is reported once, and not again by later programs', async (bench) => {
        await bench.run('held = double(x=2)');
        assertMatches(await bench.run('print("next")'), { stdout: 'next\n', stderr: '' });
      }),
      test('a forgotten await after an await is reported by its own program, and not by the next one', async (bench) => {
        const last = await bench.run('import asyncio\nawait double(x=1)\ndouble(x=2)');
        assert.match(last.stderr, /^Warning: line 3: double\(…\) was called without await/);
        const failed = await bench.run(
          'import json\nawait asyncio.sleep(0)\nawait double(x=1)\njson.loads(double(x=2))',
        );
        assertMatches(failed, { status: 'error', error: { type: 'TypeError', line: 4 } });
        assert.match(failed.stderr, /^Warning: line 4: double\(…\) was called without await/);
        const next = await bench.run('import gc\nawait asyncio.sleep(0)\ngc.collect()\nNone');
        assertMatches(next, { status: 'ok', stdout: '', stderr: '' });
      }),
      test('a forgotten await in a function of an earlier program names that program', async (bench) => {
        await bench.run('def ask(x):\n    double(x=x)');
        const { stderr } = await bench.run('ask(1)');
        assert.match(stderr, /^Warning: line 2 of <run \d+>: double\(…\) was called without await/);
      }),
      test('using a forgotten await’s coroutine as a value is an error on the user’s line, with the warning', async (bench) => {
        const result = await bench.run('total = 1\ntotal += double(x=2)');
        assertMatches(result, { status: 'error', error: { type: 'TypeError', line: 2 } });
        assert.match(result.stderr, /line 2: double\(…\) was called without await/);
      }),
      test('async generators and async comprehensions work at the top level', async (bench) => {
        const code = `
async def numbers():
    for i in range(3):
        yield await double(x=i)
print([n async for n in numbers()])
async for n in numbers():
    print(n, end=" ")
print()`;
        assert.equal(await bench.print(code), '[0, 2, 4]\n0 2 4 \n');
      }),
      test('the program’s own task ends as the program does, for whoever kept it', async (bench) => {
        const code = `
import asyncio
task = asyncio.current_task()
task.add_done_callback(lambda done: print("done", done is task))
async with asyncio.timeout(None) if hasattr(asyncio, "timeout") else asyncio.Lock() as held:
    await double(x=1)`;
        assertMatches(await bench.run(code), { status: 'ok', stdout: 'done True\n', stderr: '' });
        assertMatches(await bench.run('print(task.done(), task.exception())'), {
          stdout: 'True None\n',
          stderr: '',
        });
        await bench.run(
          'import asyncio\ntask = asyncio.current_task()\nawait double(x=1)\nint("x")',
        );
        assertMatches(await bench.run('print(repr(task.exception()))'), {
          stdout: `ValueError("invalid literal for int() with base 10: 'x'")\n`,
          stderr: '',
        });
      }),
      test('a program that cancels itself and then ends is cancelled', async (bench) => {
        const result = await bench.run(
          'import asyncio\nawait double(x=1)\nasyncio.current_task().cancel()\nprint("last")',
        );
        assertMatches(result, {
          status: 'error',
          stdout: 'last\n',
          error: { type: 'CancelledError' },
        });
      }),
      test('asyncio.to_thread works', async (bench) => {
        const code = 'import asyncio\nprint(await asyncio.to_thread(lambda: sum(range(10))))';
        assert.equal(await bench.print(code), '45\n');
      }),
    ],
  };
}

import { describe, expect, it } from 'vitest';
import { itNeeds, useBench, type Subject } from './subject.ts';

/** asyncio as models write it, with and without a loop that already runs. */
export function describeAsyncio(subject: Subject): void {
  describe('asyncio', () => {
    const bench = useBench(subject, {
      toolList: [
        {
          name: 'double',
          description: 'Doubles a number.',
          inputSchema: { type: 'object', properties: { x: { type: 'number' } } },
          run: (input) => (input as { x: number }).x * 2,
        },
      ],
    });
    const { print, run } = bench;

    it('gather gives the results of tools in the order of the calls', async () => {
      expect(
        await print(
          'import asyncio\nprint(await asyncio.gather(*(double(x=i) for i in range(5))))',
        ),
      ).toBe('[0, 2, 4, 6, 8]\n');
    });

    it('an async generator that is left early is closed, and nothing else is said of it', async () => {
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
      expect(await run(code)).toMatchObject({ status: 'ok', stdout: '4\nclosed\n', stderr: '' });
    });

    it('create_task, wait_for, as_completed and wait work', async () => {
      const code = `
import asyncio
task = asyncio.create_task(double(x=4))
print(await asyncio.wait_for(double(x=1), timeout=5), await task)
print(sorted([await first for first in asyncio.as_completed([double(x=2), double(x=3)])]))
done, pending = await asyncio.wait([asyncio.create_task(double(x=5))])
print(len(done), len(pending))
try:
    await asyncio.wait_for(asyncio.sleep(60), timeout=0.01)
except asyncio.TimeoutError:
    print("timed out")`;
      expect(await print(code)).toBe('2 8\n[4, 6]\n1 0\ntimed out\n');
    });

    it('TaskGroup works where the Python has it', async () => {
      const code = `
import asyncio
if hasattr(asyncio, "TaskGroup"):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(double(x=i)) for i in range(3)]
    print([task.result() for task in tasks])
else:
    print([0, 2, 4])`;
      expect(await print(code)).toBe('[0, 2, 4]\n');
    });

    it('asyncio.run(main()) calls tools, without another await in the program', async () => {
      expect(
        await print(
          'import asyncio\nasync def main():\n    return await double(x=21)\nprint(asyncio.run(main()))',
        ),
      ).toBe('42\n');
    });

    itNeeds(
      'nested event loops',
      subject,
      'asyncio.run(main()) calls tools beside a top-level await, and in functions that run in the loop',
      async () => {
        const code = `
import asyncio
first = await double(x=1)
async def main():
    return await asyncio.gather(double(x=first), double(x=3))
def helper():
    return asyncio.run(main())
print(helper())
print(await double(x=10), asyncio.run(main()))`;
        expect(await print(code)).toBe('[4, 6]\n20 [4, 6]\n');
      },
    );

    itNeeds(
      'nested event loops',
      subject,
      'an error inside asyncio.run(main()) comes out of it, and the loop around it goes on',
      async () => {
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
        expect(await print(code)).toBe("caught 'inner'\n4\n");
      },
    );

    it('loop.run_until_complete works with the loop that asyncio.get_event_loop() gives', async () => {
      const code = `
import asyncio
loop = asyncio.get_event_loop()
print(loop.run_until_complete(double(x=5)))`;
      expect(await print(code)).toBe('10\n');
      expect(await print(code)).toBe('10\n');
    });

    it('a loop that a program made and closed does not hinder the next program', async () => {
      const code = `
import asyncio
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
print(loop.run_until_complete(double(x=6)))
loop.close()`;
      expect(await print(code)).toBe('12\n');
      expect(await print('print(await double(x=7))')).toBe('14\n');
    });

    it('closing the session’s own loop does not hinder the next program', async () => {
      await run('import asyncio\nasyncio.get_event_loop().close()');
      expect(await print('print(await double(x=8))')).toBe('16\n');
      expect(await print('import asyncio\nawait asyncio.sleep(0)\nprint("on")')).toBe('on\n');
    });

    it('locks, queues and events work between programs', async () => {
      await print('import asyncio\nqueue = asyncio.Queue()\nawait queue.put("kept")');
      expect(await print('print(await queue.get())')).toBe('kept\n');
    });

    it('a forgotten await is reported as just that, with its line', async () => {
      const result = await run('x = 1\nresult = double(x=2)\nprint("went on")');
      expect(result).toMatchObject({ status: 'ok', stdout: 'went on\n', toolCalls: 0 });
      expect(result.stderr).toContain('line 2: double(…) was called without await');
      expect(result.stderr).toContain('await double(…)');
    });

    it('a forgotten await of a call whose result is dropped, or of the last expression, is reported', async () => {
      const dropped = await run('double(x=1)\nprint("after")');
      expect(dropped.stderr).toContain('line 1: double(…) was called without await');
      const last = await run('print("before")\ndouble(x=3)');
      expect(last.stderr).toContain('line 2: double(…) was called without await');
      const inLoop = await run('results = []\nfor i in range(2):\n    results.append(double(x=i))');
      expect(inLoop.stderr).toContain('line 3: double(…) was called without await');
    });

    it('a program that records, filters or tests warnings has Python’s own of a forgotten await', async () => {
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
      const result = await run(code);
      expect(result.stdout).toMatch(
        new RegExp(
          `^\\[\\('RuntimeWarning', "${message}", '<run \\d+>', 6\\)\\]\\n\\["${message}"\\]\\n$`,
        ),
      );
      // What it showed in its own way is told too.
      expect(result.stderr).toMatch(
        /^Warning: line 13: forgotten\(…\) was called without await.*\n$/,
      );
      const raised = await run(
        'with warnings.catch_warnings():\n    warnings.simplefilter("error")\n    forgotten()',
      );
      expect(raised.stderr).toMatch(/^Exception ignored.*RuntimeWarning: coroutine 'forgotten'/s);
      expect(raised.stderr).not.toContain('was called without await');
    });

    it('a forgotten await is reported once, and not again by later programs', async () => {
      await run('held = double(x=2)');
      expect(await run('print("next")')).toMatchObject({ stdout: 'next\n', stderr: '' });
    });

    it('using a forgotten await’s coroutine as a value is an error on the user’s line, with the warning', async () => {
      const result = await run('total = 1\ntotal += double(x=2)');
      expect(result).toMatchObject({ status: 'error', error: { type: 'TypeError', line: 2 } });
      expect(result.stderr).toContain('line 2: double(…) was called without await');
    });

    it('tasks that a program leaves behind are cancelled, and it is told so', async () => {
      const result = await run(
        'import asyncio\ntasks = [asyncio.create_task(asyncio.sleep(60)) for _ in range(2)]\nawait asyncio.sleep(0)\nprint("done")',
      );
      expect(result).toMatchObject({ status: 'ok', stdout: 'done\n' });
      expect(result.stderr).toContain('background tasks cancelled');
      expect(result.stderr).toContain('2');
    });

    it('a task that answers its cancellation with sys.exit ends neither run nor session', async () => {
      const result = await run(
        'import asyncio, sys\nasync def stubborn():\n    try:\n        await asyncio.sleep(60)\n    except asyncio.CancelledError:\n        sys.exit(3)\ntask = asyncio.create_task(stubborn())\nawait asyncio.sleep(0)\nprint("end")',
      );
      expect(result).toMatchObject({ status: 'ok', stdout: 'end\n', sessionOpen: true });
      expect(await print('print("next")')).toBe('next\n');
    });

    it('async generators and async comprehensions work at the top level', async () => {
      const code = `
async def numbers():
    for i in range(3):
        yield await double(x=i)
print([n async for n in numbers()])
async for n in numbers():
    print(n, end=" ")
print()`;
      expect(await print(code)).toBe('[0, 2, 4]\n0 2 4 \n');
    });

    it('the program’s own task ends as the program does, for whoever kept it', async () => {
      const code = `
import asyncio
task = asyncio.current_task()
task.add_done_callback(lambda done: print("done", done is task))
async with asyncio.timeout(None) if hasattr(asyncio, "timeout") else asyncio.Lock() as held:
    await double(x=1)`;
      expect(await run(code)).toMatchObject({ status: 'ok', stdout: 'done True\n', stderr: '' });
      expect(await run('print(task.done(), task.exception())')).toMatchObject({
        stdout: 'True None\n',
        stderr: '',
      });
      await run('import asyncio\ntask = asyncio.current_task()\nawait double(x=1)\nint("x")');
      expect(await run('print(repr(task.exception()))')).toMatchObject({
        stdout: `ValueError("invalid literal for int() with base 10: 'x'")\n`,
        stderr: '',
      });
    });

    it('a program that cancels itself and then ends is cancelled', async () => {
      const result = await bench.runOnce(
        'import asyncio\nawait double(x=1)\nasyncio.current_task().cancel()\nprint("last")',
      );
      expect(result).toMatchObject({
        status: 'error',
        stdout: 'last\n',
        error: { type: 'CancelledError' },
      });
    });

    itNeeds('threads', subject, 'asyncio.to_thread works', async () => {
      expect(
        await print('import asyncio\nprint(await asyncio.to_thread(lambda: sum(range(10))))'),
      ).toBe('45\n');
    });
  });
}

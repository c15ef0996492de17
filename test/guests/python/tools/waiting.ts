import assert from 'node:assert/strict';
import { createDeferred, type Deferred } from '../../../../src/shared/async/deferred.ts';
import { printed, stoppedAt } from '../../../../src/testing/stopped-at.ts';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';
import { double } from '../../../../src/testing/toolbox.ts';

/** In a sandbox without files of its own, the module would stay on the host. */
const OWN_DIRECTORY = { needs: 'file isolation', neverWithout: true } as const;

/**
 * A program that awaits one tool after another runs without an event loop. Programs must not notice this: all of asyncio must work
 * whenever the program, or a library that it imports, begins to use it. A program that names asyncio has its loop from the start;
 * one that does not gets it only in a new interpreter, so such tests have a session of their own.
 */
export function pythonWaiting(): TestGroup {
  let waiting: Deferred<void>[] = [];
  return {
    name: 'waiting',
    options: {
      tools: [
        double,
        {
          name: 'meet',
          description: 'Answers when it has been called twice.',
          run: async () => {
            const here = createDeferred<void>();
            waiting.push(here);
            if (waiting.length === 2) {
              for (const each of waiting) each.resolve();
              waiting = [];
            }
            await here.promise;
            return 'met';
          },
        },
      ],
    },
    tests: [
      test('asyncio can be imported after tools were awaited, and its loop then runs', async (bench) => {
        const code = `
first = await double(x=1)
import asyncio
print(first, asyncio.get_running_loop() is asyncio.get_event_loop(), asyncio.get_running_loop().is_running())
print(type(asyncio.current_task()).__name__, len(asyncio.all_tasks()))
print(await double(x=2), await asyncio.gather(double(x=3), double(x=4)))
await asyncio.sleep(0)
print(await double(x=5), asyncio.current_task() is not None)`;
        assert.equal(await bench.print(code), '2 True True\nTask 1\n4 [6, 8]\n10 True\n');
      }),
      test(
        'a library that uses asyncio finds its loop, though the program never names it',
        async (bench) => {
          await using session = await bench.open();
          // A program that names asyncio would load it.
          const write =
            'with open("both.py", "w") as file:\n    file.write("import async" "io\\nasync def both(a, b):\\n    return await async" "io.gather(a, b)")';
          assertMatches(await session.execute(write), { status: 'ok' });
          const result = await session.execute(
            'before = await double(x=1)\nimport both\nprint(before, await both.both(double(x=2), double(x=3)), await double(x=4))',
          );
          assertMatches(result, { stdout: '2 [4, 6] 8\n', status: 'ok' });
        },
        OWN_DIRECTORY,
      ),
      test('a task in the background goes on while the program waits for a tool', async (bench) => {
        const code = `
import asyncio
task = asyncio.create_task(meet())
print(await meet(), await task)`;
        assert.equal(await bench.print(code), 'met met\n');
      }),
      test('a timer rings while the program waits for a tool', async (bench) => {
        const code = `
import asyncio
rung = asyncio.Event()
async def answer():
    await rung.wait()
    return await meet()
task = asyncio.create_task(answer())
await asyncio.sleep(0)
asyncio.get_running_loop().call_later(0.01, rung.set)
print(await meet(), await task)`;
        assert.equal(await bench.print(code), 'met met\n');
      }),
      test(
        'a thread reaches the loop while the program waits',
        async (bench) => {
          const code = `
import asyncio, threading
loop = asyncio.get_running_loop()
thread = threading.Thread(target=lambda: asyncio.run_coroutine_threadsafe(meet(), loop).result())
thread.start()
print(await meet())
await asyncio.to_thread(thread.join)`;
          assert.equal(await bench.print(code), 'met\n');
        },
        { needs: 'threads' },
      ),
      test(
        'a thread calls tools while the program waits for one',
        async (bench) => {
          const code = `
import asyncio, threading
thread = threading.Thread(target=lambda: asyncio.run(meet()))
thread.start()
print(await meet())
thread.join()
print(await double(x=4))`;
          assert.equal(await bench.print(code), 'met\n8\n');
        },
        { needs: 'threads' },
      ),
      test('wait_for gives up a tool in time, and the next call works', async (bench) => {
        const code = `
import asyncio
await double(x=1)
try:
    await asyncio.wait_for(meet(), 0.05)
except asyncio.TimeoutError:
    print("gave up")
print(await double(x=2))`;
        assert.equal(await bench.print(code), 'gave up\n4\n');
        waiting = [];
      }),
      test('a program can cancel itself, and the cancellation arrives where it waits next', async (bench) => {
        const code = `
import asyncio
asyncio.current_task().cancel()
try:
    await double(x=1)
    print("went on")
except asyncio.CancelledError:
    print("cancelled")
print(await double(x=2))`;
        assert.equal(await bench.print(code), 'cancelled\n4\n');
      }),
      test('tasks that begin eagerly call tools', async (bench) => {
        const code = `
import asyncio
if hasattr(asyncio, "eager_task_factory"):
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
print(await asyncio.gather(double(x=1), double(x=2)))
asyncio.get_running_loop().set_task_factory(None)`;
        assert.equal(await bench.print(code), '[2, 4]\n');
      }),
      test('what a program sets for its context stays, whatever it waits for, and for the next program', async (bench) => {
        const result = await bench.run(
          'import decimal\ndecimal.getcontext().prec = 5\nawait double(x=1)\nprint(decimal.Decimal(1) / 3)',
        );
        assert.equal(result.stdout, '0.33333\n');
        assertMatches(await bench.run('await double(x=1)\nprint(decimal.Decimal(1) / 3)'), {
          stdout: '0.33333\n',
        });
        assertMatches(await bench.run('print(decimal.Decimal(1) / 3)'), { stdout: '0.33333\n' });
      }),
      test('an asynchronous generator that is dropped half way cleans up, with tools too', async (bench) => {
        const code = `
async def numbers():
    try:
        yield 1
        yield 2
    finally:
        global cleaned
        print("cleans up", await double(x=2))
        cleaned = True
cleaned = False
async for number in numbers():
    print(number)
    break
while not cleaned:
    await double(x=3)
print("ends")`;
        assertMatches(await bench.runOnce(code), {
          status: 'ok',
          stdout: '1\ncleans up 4\nends\n',
        });
      }),
      test('an awaitable that yields anything else is an error as in Python', async (bench) => {
        const result = await bench.runOnce(
          'import types\n@types.coroutine\ndef odd():\n    yield "a thing"\nawait odd()',
        );
        assertMatches(result, {
          status: 'error',
          error: { type: 'RuntimeError', message: "Task got bad yield: 'a thing'" },
        });
      }),
      test('a tool that is driven by hand, with no loop that runs, says so', async (bench) => {
        const result = await bench.runOnce('call = double(x=1)\ncall.send(None)');
        assertMatches(result.error, {
          type: 'RuntimeError',
          message: 'no running event loop',
          line: 2,
        });
      }),
      test('an interrupt cancels a program where it waits for a tool, and tools that it calls to clean up fail at once', async (bench) => {
        const code =
          'kept = 1\ntry:\n    await meet()\nfinally:\n    try:\n        await double(x=4)\n    except ToolError as error:\n        print(error.type)';
        const result = await stoppedAt(printed('Cancelled'), async (timeoutMs) =>
          bench.run(code, { timeoutMs }),
        );
        waiting = [];
        assertMatches(result, {
          status: 'timeout',
          stdout: 'Cancelled\n',
          sessionOpen: true,
        });
        assertMatches(await bench.run('print(kept, await double(x=1))'), { stdout: '1 2\n' });
      }),
      test('a program that exits or fails while a task of its waits leaves nothing for the next', async (bench) => {
        const failed = await bench.run(
          'import asyncio\ntask = asyncio.create_task(double(x=1))\nawait double(x=0)\nraise ValueError("early")',
        );
        assertMatches(failed.error, { type: 'ValueError', line: 4 });
        const next = await bench.run('await double(x=2)\nprint("on", len(asyncio.all_tasks()))');
        assertMatches(next, { status: 'ok', stdout: 'on 1\n', stderr: '' });
      }),
      test('a task that began before the program waited goes on between its tools', async (bench) => {
        const code = `
import asyncio
async def both():
    await double(x=1)
    return await meet()
if hasattr(asyncio, "eager_task_factory"):
    task = asyncio.Task(both(), loop=asyncio.get_running_loop(), eager_start=True)
else:
    task = asyncio.create_task(both())
print(await meet(), await task)`;
        assert.equal(await bench.print(code), 'met met\n');
      }),
      test(
        'a handler of a signal reaches a program that waits',
        async (bench) => {
          const code = `
import asyncio, signal
loop, program = asyncio.get_running_loop(), asyncio.current_task()
loop.add_signal_handler(signal.SIGUSR1, program.cancel)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGUSR1))
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    await meet()
except asyncio.CancelledError:
    print("cancelled")
loop.remove_signal_handler(signal.SIGUSR1)
print(await double(x=2))`;
          assert.equal(await bench.print(code), 'cancelled\n4\n');
          waiting = [];
        },
        { needs: 'threads' },
      ),
      test(
        'a thread may be the first to load asyncio',
        async (bench) => {
          const code = `
import threading
thread = threading.Thread(target=__import__, args=("concurrent.futures",))
thread.start()
thread.join()
thread = threading.Thread(target=__import__, args=("unittest.mock",))
thread.start()
thread.join()
print(await double(x=1), await double(x=2))`;
          assertMatches(await bench.runOnce(code), { status: 'ok', stdout: '2 4\n' });
        },
        { needs: 'threads' },
      ),
      test('an error is described when no file can be opened any more, or none found', async (bench) => {
        const many = await bench.runOnce(
          'import os\nwhile True:\n    os.open("/dev/null", os.O_RDONLY)',
        );
        assertMatches(many.error, { type: 'OSError', line: 3 });
        assert.match(
          String(many.error?.traceback),
          /^Traceback \(most recent call last\):\n {2}File "<run 1>", line 3, in <module>\n/,
        );
        const lost = await bench.runOnce('import sys\nsys.path.clear()\nawait double(x=1)\n1 / 0');
        assertMatches(lost.error, { type: 'ZeroDivisionError', line: 4 });
        assert.match(
          String(lost.error?.traceback),
          /^Traceback [^]*\nZeroDivisionError: division by zero$/,
        );
      }),
    ],
  };
}

import { describe, expect, it } from 'vitest';
import { createDeferred, type Deferred } from '../../src/shared/deferred.ts';
import { itNeeds, useBench, type Subject } from './subject.ts';
import { printed, stoppedAt } from '../support/time-limit.ts';

/**
 * A program that awaits one tool after another needs no event loop. It must not be able to tell: whatever
 * it does of asyncio, early or late, by itself or through a library, is there as in any async program.
 */
export function describeWaiting(subject: Subject): void {
  describe('waiting, with and without asyncio', () => {
    let waiting: Deferred<void>[] = [];
    const { run, runOnce } = useBench(subject, {
      toolList: [
        {
          name: 'double',
          description: 'Doubles a number.',
          inputSchema: { type: 'object', properties: { x: { type: 'number' } } },
          run: (input) => (input as { x: number }).x * 2,
        },
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
    });
    const printOnce = async (code: string): Promise<string> => {
      const result = await runOnce(code, { timeoutMs: 20_000 });
      expect(result.error).toBeUndefined();
      expect(result.status).toBe('ok');
      return result.stdout;
    };

    it('asyncio can be imported after tools were awaited, and its loop then runs', async () => {
      const code = `
first = await double(x=1)
import asyncio
print(first, asyncio.get_running_loop() is asyncio.get_event_loop(), asyncio.get_running_loop().is_running())
print(type(asyncio.current_task()).__name__, len(asyncio.all_tasks()))
print(await double(x=2), await asyncio.gather(double(x=3), double(x=4)))
await asyncio.sleep(0)
print(await double(x=5), asyncio.current_task() is not None)`;
      expect(await printOnce(code)).toBe('2 True True\nTask 1\n4 [6, 8]\n10 True\n');
    });

    it('a library that uses asyncio finds its loop, though the program never names it', async () => {
      await run(
        'import sys\nwith open("both.py", "w") as file:\n    file.write("import asyncio\\nasync def both(a, b):\\n    return await asyncio.gather(a, b)")',
      );
      const result = await run(
        'before = await double(x=1)\nimport both\nprint(before, await both.both(double(x=2), double(x=3)), await double(x=4))',
      );
      expect(result).toMatchObject({ stdout: '2 [4, 6] 8\n', status: 'ok' });
    });

    it('a task in the background goes on while the program waits for a tool', async () => {
      const code = `
import asyncio
task = asyncio.create_task(meet())
print(await meet(), await task)`;
      expect(await printOnce(code)).toBe('met met\n');
    });

    it('a timer rings while the program waits for a tool', async () => {
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
      expect(await printOnce(code)).toBe('met met\n');
    });

    itNeeds('threads', subject, 'a thread reaches the loop while the program waits', async () => {
      const code = `
import asyncio, threading
loop = asyncio.get_running_loop()
thread = threading.Thread(target=lambda: asyncio.run_coroutine_threadsafe(meet(), loop).result())
thread.start()
print(await meet())
await asyncio.to_thread(thread.join)`;
      expect(await printOnce(code)).toBe('met\n');
    });

    itNeeds(
      'threads',
      subject,
      'a thread calls tools while the program waits for one',
      async () => {
        const code = `
import asyncio, threading
thread = threading.Thread(target=lambda: asyncio.run(meet()))
thread.start()
print(await meet())
thread.join()
print(await double(x=4))`;
        expect(await printOnce(code)).toBe('met\n8\n');
      },
    );

    it('wait_for gives up a tool in time, and the next call works', async () => {
      const code = `
import asyncio
await double(x=1)
try:
    await asyncio.wait_for(meet(), 0.05)
except asyncio.TimeoutError:
    print("gave up")
print(await double(x=2))`;
      expect(await printOnce(code)).toBe('gave up\n4\n');
      waiting = [];
    });

    it('a program can cancel itself where it waits next', async () => {
      const code = `
import asyncio
asyncio.current_task().cancel()
try:
    await double(x=1)
    print("went on")
except asyncio.CancelledError:
    print("cancelled")
print(await double(x=2))`;
      expect(await printOnce(code)).toBe('cancelled\n4\n');
    });

    it('tasks that begin eagerly call tools', async () => {
      const code = `
import asyncio
if hasattr(asyncio, "eager_task_factory"):
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
print(await asyncio.gather(double(x=1), double(x=2)))`;
      expect(await printOnce(code)).toBe('[2, 4]\n');
    });

    it('what a program sets for its context stays, whatever it waits for, and for the next program', async () => {
      const result = await run(
        'import decimal\ndecimal.getcontext().prec = 5\nawait double(x=1)\nprint(decimal.Decimal(1) / 3)',
      );
      expect(result.stdout).toBe('0.33333\n');
      expect(await run('await double(x=1)\nprint(decimal.Decimal(1) / 3)')).toMatchObject({
        stdout: '0.33333\n',
      });
      expect(await run('print(decimal.Decimal(1) / 3)')).toMatchObject({ stdout: '0.33333\n' });
    });

    it('an asynchronous generator that is dropped half way cleans up, with tools too', async () => {
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
      expect(await printOnce(code)).toBe('1\ncleans up 4\nends\n');
    });

    it('an awaitable that is none is an error as Python has it', async () => {
      const result = await runOnce(
        'import types\n@types.coroutine\ndef odd():\n    yield "a thing"\nawait odd()',
      );
      expect(result).toMatchObject({
        status: 'error',
        error: { type: 'RuntimeError', message: "Task got bad yield: 'a thing'" },
      });
    });

    it('a tool that is driven by hand, with no loop that runs, says so', async () => {
      const result = await runOnce('call = double(x=1)\ncall.send(None)');
      expect(result.error).toMatchObject({
        type: 'RuntimeError',
        message: 'no running event loop',
        line: 2,
      });
    });

    it('an interrupt cancels a program where it waits for a tool, and tools that it calls to clean up fail at once', async () => {
      const code =
        'kept = 1\ntry:\n    await meet()\nfinally:\n    try:\n        await double(x=4)\n    except ToolError as error:\n        print(error.type)';
      const result = await stoppedAt(printed('Cancelled'), async (timeoutMs) =>
        run(code, { timeoutMs }),
      );
      waiting = [];
      expect(result).toMatchObject({
        status: 'timeout',
        stdout: 'Cancelled\n',
        sessionOpen: true,
      });
      expect(await run('print(kept, await double(x=1))')).toMatchObject({ stdout: '1 2\n' });
    });

    it('a program that exits or fails while a task of its waits leaves nothing for the next', async () => {
      const failed = await run(
        'import asyncio\ntask = asyncio.create_task(double(x=1))\nawait double(x=0)\nraise ValueError("early")',
      );
      expect(failed.error).toMatchObject({ type: 'ValueError', line: 4 });
      const next = await run('await double(x=2)\nprint("on", len(asyncio.all_tasks()))');
      expect(next).toMatchObject({ status: 'ok', stdout: 'on 1\n', stderr: '' });
    });

    it('a task that began before the program waited goes on between its tools', async () => {
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
      expect(await printOnce(code)).toBe('met met\n');
    });

    itNeeds('threads', subject, 'a handler of a signal reaches a program that waits', async () => {
      const code = `
import asyncio, signal
loop, program = asyncio.get_running_loop(), asyncio.current_task()
loop.add_signal_handler(signal.SIGUSR1, program.cancel)
signal.setitimer(signal.ITIMER_REAL, 0.05)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGUSR1))
try:
    await meet()
except asyncio.CancelledError:
    print("cancelled")
loop.remove_signal_handler(signal.SIGUSR1)
print(await double(x=2))`;
      expect(await printOnce(code)).toBe('cancelled\n4\n');
      waiting = [];
    });

    itNeeds('threads', subject, 'a thread may be the first to load asyncio', async () => {
      const code = `
import threading
thread = threading.Thread(target=__import__, args=("concurrent.futures",))
thread.start()
thread.join()
thread = threading.Thread(target=__import__, args=("unittest.mock",))
thread.start()
thread.join()
print(await double(x=1), await double(x=2))`;
      expect(await printOnce(code)).toBe('2 4\n');
    });

    itNeeds(
      'file descriptors',
      subject,
      'an error is described when no file can be opened any more, or none found',
      async () => {
        const many = await runOnce('import os\nwhile True:\n    os.open("/dev/null", os.O_RDONLY)');
        expect(many.error).toMatchObject({ type: 'OSError', line: 3 });
        expect(many.error?.traceback).toMatch(
          /^Traceback \(most recent call last\):\n {2}File "<run 1>", line 3, in <module>\n/,
        );
        const lost = await runOnce('import sys\nsys.path.clear()\nawait double(x=1)\n1 / 0');
        expect(lost.error).toMatchObject({ type: 'ZeroDivisionError', line: 4 });
        expect(lost.error?.traceback).toMatch(
          /^Traceback [^]*\nZeroDivisionError: division by zero$/,
        );
      },
    );
  });
}

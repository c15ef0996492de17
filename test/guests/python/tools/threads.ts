import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Programs that start threads or processes, and tool calls from them. */
export function threads(): TestGroup {
  return {
    name: 'threads',
    options: {
      tools: [
        {
          name: 'echo',
          description: 'Gives its argument back.',
          inputSchema: { type: 'object', properties: { value: {} }, required: ['value'] },
          run: (input) => (input as { value: unknown }).value,
        },
      ],
    },
    tests: [
      test(
        'a thread that goes on calling tools after its program does not hinder the next programs',
        async (bench) => {
          const code = `
import asyncio, threading
stop_thread = threading.Event()
async def keep_calling():
    while not stop_thread.is_set():
        try:
            await asyncio.wait_for(echo(value="background"), timeout=0.01)
        except Exception:
            pass
        # Not so many that a run which is slow to end has too many.
        await asyncio.sleep(0.001)
background = threading.Thread(target=lambda: asyncio.run(keep_calling()))
background.start()
print("started")`;
          assert.equal(await bench.print(code), 'started\n');
          for (let i = 0; i < 20; i += 1) {
            assert.equal(
              await bench.print(
                `import threading\nprint(threading.current_thread() is threading.main_thread(), await echo(value=${i}))`,
              ),
              `True ${i}\n`,
            );
          }
          assert.equal(
            await bench.print('stop_thread.set()\nbackground.join()\nprint("stopped")'),
            'stopped\n',
          );
        },
        { needs: 'threads' },
      ),
      test(
        'a thread that the program did not wait for is told, once',
        async (bench) => {
          const warning =
            "Warning: threads stopped because the program ended before them: 1; they go on with the session's next program\n";
          const code = `
import threading
gate = threading.Event()
waiting = threading.Thread(target=gate.wait)
waiting.start()
threading.Thread(target=gate.wait, daemon=True).start()`;
          assertMatches(await bench.run(code), { status: 'ok', stderr: warning });
          assertMatches(await bench.run('1'), { status: 'ok', stderr: '' });
          assertMatches(await bench.run('gate.set()\nwaiting.join()'), { stderr: '' });
        },
        { needs: 'threads' },
      ),
      test(
        'tool calls of processes that a program started fail, and those of the program go on',
        async (bench) => {
          const code = `
import asyncio, os
from concurrent.futures import ProcessPoolExecutor
async def call(i):
    return await echo(value=i)
def work(i):
    try:
        return asyncio.run(call(i))
    except RuntimeError as error:
        return str(error)
with ProcessPoolExecutor(2) as pool:
    print(set(pool.map(work, range(4))))
waiting = asyncio.create_task(echo(value="for the program"))
await asyncio.sleep(0)
if os.fork() == 0:
    # The copy runs the same loop, which would read the result.
    await asyncio.sleep(0.2)
    os._exit(0)
os.wait()
print(await waiting)`;
          const told =
            'echo() works in the program itself, not in a process that it started; call it there, and pass the result on';
          assert.equal(await bench.print(code), `{'${told}'}\nfor the program\n`);
          assert.equal(await bench.print('print(await echo(value=1))'), '1\n');
        },
        { needs: 'fork' },
      ),
      test(
        'a copy of the process that fails says so, and takes no call from the program',
        async (bench) => {
          const { stdout, stderr } = await bench.run(`
import asyncio, os
waiting = asyncio.create_task(wait_for_signal())
await asyncio.sleep(0)
if os.fork() == 0:
    raise ValueError("of the copy")
status = os.waitstatus_to_exitcode(os.wait()[1])
# Their results come after those of whatever the copy told the host.
for value in range(3):
    await echo(value=value)
print(status, waiting.done())`);
          assert.equal(stdout, '1 False\n');
          assert.match(stderr, /line 6, in <module>\n.*\nValueError: of the copy/);
          assert.equal(stderr.match(/background tasks cancelled/g)?.length, 1);
        },
        { needs: 'fork' },
      ),
      test(
        'idle threads of a pool are not told, busy ones are',
        async (bench) => {
          const code = `
import asyncio, time
from concurrent.futures import ThreadPoolExecutor
executor = ThreadPoolExecutor(2)
print(list(executor.map(str, range(4))), await asyncio.to_thread(str, 5))`;
          assertMatches(await bench.run(code), {
            stdout: "['0', '1', '2', '3'] 5\n",
            stderr: '',
          });
          const { stderr } = await bench.run(`
import threading
begun, end = threading.Event(), threading.Event()
def work():
    begun.set()
    end.wait()
busy = executor.submit(work)
begun.wait()`);
          assert.match(stderr, /threads stopped because the program ended before them: 1;/);
          assertMatches(await bench.run('end.set()\nexecutor.shutdown()'), { stderr: '' });
        },
        { needs: 'threads' },
      ),
      test(
        'a thread stands still after its program and goes on with the next',
        async (bench) => {
          const code = `
import threading, time
ticks = []
def tick():
    while len(ticks) < 10000:
        ticks.append(time.monotonic())
        time.sleep(0.005)
ticking = threading.Thread(target=tick, daemon=True)
ticking.start()`;
          assert.equal(await bench.print(code), '');
          // If the thread ran, it would add a hundred ticks in this time.
          await delay(500);
          const gaps = 'max(later - earlier for earlier, later in zip(ticks, ticks[1:]))';
          assert.equal(
            await bench.print(
              `while time.monotonic() - ticks[-1] > 0.4: pass\nprint(${gaps} > 0.49)`,
            ),
            'True\n',
          );
          // It goes on while the program runs.
          await bench.print('before = len(ticks)\nwhile len(ticks) == before: pass');
        },
        { needs: 'threads' },
      ),
    ],
  };
}

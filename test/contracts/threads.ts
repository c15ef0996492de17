import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { itNeeds, useBench, type Subject } from './subject.ts';

/** Tools that are called from threads of the program. */
export function describeThreads(subject: Subject): void {
  describe('threads', () => {
    const { print, run } = useBench(subject, {
      toolList: [
        {
          name: 'echo',
          description: 'Gives its argument back.',
          inputSchema: { type: 'object', properties: { value: {} }, required: ['value'] },
          run: (input) => (input as { value: unknown }).value,
        },
      ],
    });

    itNeeds(
      'threads',
      subject,
      'a tool is called from threads with loops of their own',
      async () => {
        const code = `
import asyncio, threading
results = {}
def work(i):
    results[i] = asyncio.run(echo(value=i))
threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(results.items()))
print(await asyncio.gather(echo(value="main"), asyncio.to_thread(lambda: asyncio.run(echo(value="side")))))`;
        expect(await print(code)).toBe(
          "[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]\n['main', 'side']\n",
        );
      },
    );

    itNeeds(
      'threads',
      subject,
      'a thread that goes on calling tools after its program does not hinder the next programs',
      async () => {
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
        expect(await print(code)).toBe('started\n');
        for (let i = 0; i < 20; i += 1) {
          expect(
            await print(
              `import threading\nprint(threading.current_thread() is threading.main_thread(), await echo(value=${i}))`,
            ),
          ).toBe(`True ${i}\n`);
        }
        expect(await print('stop_thread.set()\nbackground.join()\nprint("stopped")')).toBe(
          'stopped\n',
        );
      },
    );

    itNeeds(
      'threads',
      subject,
      'a thread that the program did not wait for is told, once',
      async () => {
        const warning =
          "Warning: threads stopped because the program ended before them: 1; they go on with the session's next program\n";
        const code = `
import threading
gate = threading.Event()
waiting = threading.Thread(target=gate.wait)
waiting.start()
threading.Thread(target=gate.wait, daemon=True).start()`;
        expect(await run(code)).toMatchObject({ status: 'ok', stderr: warning });
        expect(await run('1')).toMatchObject({ status: 'ok', stderr: '' });
        expect(await run('gate.set()\nwaiting.join()')).toMatchObject({ stderr: '' });
      },
    );

    itNeeds('threads', subject, 'idle threads of a pool are not told, busy ones are', async () => {
      const code = `
import asyncio, time
from concurrent.futures import ThreadPoolExecutor
executor = ThreadPoolExecutor(2)
print(list(executor.map(str, range(4))), await asyncio.to_thread(str, 5))`;
      expect(await run(code)).toMatchObject({
        stdout: "['0', '1', '2', '3'] 5\n",
        stderr: '',
      });
      const { stderr } = await run(`
import threading
begun, end = threading.Event(), threading.Event()
def work():
    begun.set()
    end.wait()
busy = executor.submit(work)
begun.wait()`);
      expect(stderr).toMatch(/threads stopped because the program ended before them: 1;/);
      expect(await run('end.set()\nexecutor.shutdown()')).toMatchObject({ stderr: '' });
    });

    itNeeds(
      'threads',
      subject,
      'a thread stands still after its program and goes on with the next',
      async () => {
        const code = `
import threading, time
ticks = []
def tick():
    while len(ticks) < 10000:
        ticks.append(time.monotonic())
        time.sleep(0.005)
ticking = threading.Thread(target=tick, daemon=True)
ticking.start()`;
        expect(await print(code)).toBe('');
        // The thread would be heard of meanwhile a hundred times.
        await delay(500);
        const gaps = 'max(later - earlier for earlier, later in zip(ticks, ticks[1:]))';
        expect(
          await print(`while time.monotonic() - ticks[-1] > 0.4: pass\nprint(${gaps} > 0.49)`),
        ).toBe('True\n');
        expect(
          await print('before = len(ticks)\ntime.sleep(0.1)\nprint(len(ticks) > before)'),
        ).toBe('True\n');
      },
    );
  });
}

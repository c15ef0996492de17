import assert from 'node:assert/strict';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Programs that leave tasks and callbacks in the event loop, which later programs use too. */
export function leftInLoop(): TestGroup {
  return {
    name: 'left in the event loop',
    options: {},
    tests: [
      test('tasks that a program leaves behind are cancelled, and it is told so', async (bench) => {
        const result = await bench.run(
          'import asyncio\ntasks = [asyncio.create_task(asyncio.sleep(60)) for _ in range(2)]\nawait asyncio.sleep(0)\nprint("done")',
        );
        assertMatches(result, { status: 'ok', stdout: 'done\n' });
        assert.match(result.stderr, /background tasks cancelled/);
        assert.match(result.stderr, /2/);
      }),
      test('callbacks that a program leaves in the loop end with it, and it is told so', async (bench) => {
        const result = await bench.run(`
import asyncio
loop = asyncio.get_event_loop()
await asyncio.sleep(0)
loop.call_later(60, print, "too late")
loop.call_at(loop.time() + 60, lambda: 1 / 0)
loop.call_soon(print, "in time")
loop.call_soon(loop.stop)
None`);
        assertMatches(result, {
          status: 'ok',
          stdout: 'in time\n',
          stderr:
            'Warning: callbacks of the event loop cancelled because the program ended before them: 2\n',
        });
        const next = await bench.run(`
import time
loop.time = lambda: time.monotonic() + 100
await asyncio.sleep(0)
await asyncio.sleep(0)
del loop.time
print("next")`);
        assertMatches(next, { status: 'ok', stdout: 'next\n', stderr: '' });
      }),
      test(
        'what a program has set to watch a descriptor ends with it, and its connections stay',
        async (bench) => {
          const result = await bench.run(`
import asyncio, os, socket
read_end, write_end = os.pipe()
asyncio.get_event_loop().add_reader(read_end, print, "readable")
here, there = socket.socketpair()
reader, writer = await asyncio.open_connection(sock=here)`);
          assertMatches(result, { status: 'ok', stderr: /^Warning: callbacks .*: 1\n/m });
          const next = await bench.run(
            'os.write(write_end, b"x")\nthere.sendall(b"kept\\n")\nprint(await reader.readline())\nwriter.close()\nNone',
          );
          assertMatches(next, { status: 'ok', stdout: "b'kept\\n'\n" });
        },
        { needs: 'subprocesses' },
      ),
      test('tasks that ignore their cancellation, or begin with it, do not run in later programs', async (bench) => {
        await bench.run(`
import asyncio
async def stubborn():
    while True:
        try:
            await gate.wait()
            print("went on")
            break
        except asyncio.CancelledError: pass
async def late():
    await gate.wait()
    print("late")
async def last_words():
    try: await asyncio.sleep(60)
    finally: kept.append(asyncio.create_task(late()))
gate = asyncio.Event()
kept = [asyncio.create_task(task()) for task in (stubborn, last_words)]
await asyncio.sleep(0)`);
        const next = await bench.run(
          'gate.set()\nawait asyncio.sleep(0)\nawait asyncio.sleep(0)\nprint([task.cancelled() for task in kept])',
        );
        assertMatches(next, { status: 'ok', stdout: '[True, True, True]\n', stderr: '' });
      }),
      test('a task that answers its cancellation with sys.exit ends neither program nor session', async (bench) => {
        const result = await bench.run(
          'import asyncio, sys\nasync def stubborn():\n    try:\n        await asyncio.sleep(60)\n    except asyncio.CancelledError:\n        sys.exit(3)\ntask = asyncio.create_task(stubborn())\nawait asyncio.sleep(0)\nprint("end")',
        );
        assertMatches(result, { status: 'ok', stdout: 'end\n', sessionOpen: true });
        assert.equal(await bench.print('print("next")'), 'next\n');
      }),
    ],
  };
}

import assert from 'node:assert/strict';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import type { Feature } from '../../../../src/testing/features.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Ways to end the interpreter, and a part of the error message. */
const ENDS: readonly (readonly [title: string, needs: Feature, code: string, reason: RegExp])[] = [
  ['os._exit(7)', 'ending itself', 'import os\nos._exit(7)', /status 7/],
  ['os.abort()', 'ending itself', 'import os\nos.abort()', /signal 6/],
  ['os.execv', 'subprocesses', 'import os\nos.execv("/bin/true", ["true"])', /status 0/],
];

/** Ways to let go, in the next program, of what a function held: a title, how the function fails, and how it is let go. */
const LET_GO: readonly (readonly [how: string, fail: string, letGo: string])[] = [
  [
    'when its frame is cleared',
    'def fail():\n    WRITE\n    raise ValueError\ntry:\n    fail()\nexcept ValueError as error:\n    kept = error\n    raise',
    'import traceback\ntraceback.clear_frames(kept.__traceback__)',
  ],
  [
    'when it goes on and sets its variable anew',
    'def steps(error):\n    WRITE\n    try:\n        raise error\n    except ValueError:\n        yield\n    file = None\n    yield\nkept = ValueError()\nrunning = steps(kept)\nnext(running)\nraise kept',
    'next(running)',
  ],
];

/** Programs in Python that end their interpreter, fork, or start a process in the background. */
export function pythonEnds(): TestGroup {
  return {
    name: 'ends in Python',
    options: {},
    tests: [
      ...ENDS.map(([title, needs, code, reason]) =>
        test(
          `${title} loses the session and keeps what was printed`,
          async (bench) => {
            const session = await bench.open();
            assertMatches(await session.execute(`print("so far", flush=True)\n${code}`), {
              status: 'sandbox-lost',
              success: false,
              exitCode: 1,
              stdout: 'so far\n',
              sessionOpen: false,
              error: { message: reason },
            });
            await assert.rejects(session.execute('1'), { code: 'SESSION_NOT_FOUND' });
            assert.equal(bench.provider.open.has(session.id), false);
            assert.equal(await bench.print('print("others live")'), 'others live\n');
          },
          { needs },
        ),
      ),
      test(
        'a program that forks ends once [case 88]',
        async (bench) => {
          const code =
            'import os\npid = os.fork()\nif pid == 0:\n    print("child")\nelse:\n    os.waitpid(pid, 0)\n    print("parent")';
          const result = await bench.run(code);
          assertMatches(result, { status: 'ok', stdout: 'child\nparent\n', sessionOpen: true });
          const awaiting = await bench.run(`import asyncio\nawait asyncio.sleep(0)\n${code}`);
          assertMatches(awaiting, { status: 'ok', stdout: 'child\nparent\n' });
          assert.equal(await bench.print('print("once")'), 'once\n');
        },
        { needs: 'fork' },
      ),
      test(
        'an alarm ends with its program',
        async (bench) => {
          const set = await bench.run(`
import signal
def give_up(*_):
    raise TimeoutError("too slow")
signal.signal(signal.SIGALRM, give_up)
signal.alarm(600)
kept = 41
raise ValueError("before the alarm was stopped")`);
          const told = 'Warning: alarms stopped because the program ended before them: 1\n';
          assertMatches(set, { status: 'error', error: { type: 'ValueError' }, stderr: told });
          // `alarm` gives the seconds that were left of an earlier one.
          const next = await bench.run('print(kept + 1, signal.alarm(0))');
          assertMatches(next, { status: 'ok', stdout: '42 0\n', stderr: '' });
        },
        { needs: 'fork' },
      ),
      test(
        'a signal handler that raises after its program has ended costs nothing, and stays',
        async (bench) => {
          const set = await bench.run(`
import signal, subprocess
def on_child(*_):
    children.append("a child")
    raise RuntimeError("a child has ended")
children = []
signal.signal(signal.SIGCHLD, on_child)
subprocess.Popen(["sleep", "60"])
raise ValueError("before it was waited for")`);
          assertMatches(set, { status: 'error', error: { type: 'ValueError' } });
          const next = await bench.run(
            'print(children, signal.getsignal(signal.SIGCHLD).__name__)',
          );
          const told =
            'Warning: exceptions of signal handlers dropped because the program had ended: 1\n';
          assertMatches(next, { status: 'ok', stdout: "['a child'] on_child\n", stderr: told });
          const raised = await bench.run('signal.raise_signal(signal.SIGCHLD)');
          assertMatches(raised, { status: 'error', error: { message: 'a child has ended' } });
          const last = await bench.run('signal.signal(signal.SIGCHLD, signal.SIG_DFL).__name__');
          assertMatches(last, { status: 'ok', stdout: "'on_child'\n", stderr: '' });
        },
        { needs: 'subprocesses' },
      ),
      test(
        'a forked child hands its parent what it found',
        async (bench) => {
          const code = `
import os
read_fd, write_fd = os.pipe()
if os.fork() == 0:
    os.write(write_fd, b"from the child")
    os._exit(0)
os.close(write_fd)
print(os.read(read_fd, 100).decode())`;
          assert.equal(await bench.print(code), 'from the child\n');
        },
        { needs: 'fork' },
      ),
      test('what a program has set to trace itself ends with it', async (bench) => {
        const trace =
          'import sys\nseen = []\ndef trace(*event):\n    seen.append(event)\n    return trace\ndef f(): pass\n';
        for (const end of ['f()', 'await double(x=1)', 'raise ValueError("e")']) {
          await bench.run(`${trace}sys.settrace(trace)\nsys.setprofile(trace)\nf()\n${end}`);
          assert.equal(
            await bench.print('print(sys.gettrace(), sys.getprofile(), len(seen) > 0)'),
            'None None True\n',
          );
        }
      }),
      test(
        'what a program has set to trace its threads ends with it',
        async (bench) => {
          await bench.run(
            'import threading\nseen = []\ndef trace(*event):\n    seen.append(event)\nthreading.settrace(trace)\nthreading.setprofile(trace)',
          );
          const code =
            'thread = threading.Thread(target=print)\nthread.start()\nthread.join()\nprint(seen)';
          assert.equal(await bench.print(code), '\n[]\n');
        },
        { needs: 'threads' },
      ),
      test('a program may put another module in the place of threading', async (bench) => {
        const session = await bench.open();
        const set = await session.execute(
          'import sys, types\nsys.modules["threading"] = types.ModuleType("threading")',
        );
        assertMatches(set, { status: 'ok' });
        assertMatches(await session.execute('print(6 * 7)'), { status: 'ok', stdout: '42\n' });
      }),
      test('what only a function held is freed when its program ends, however it ends', async (bench) => {
        const session = await bench.open();
        for (const end of ['raise SystemExit(0)', 'raise ValueError("e")', 'await main_of(1)']) {
          await session.execute(`
async def main_of(number):
    raise ValueError(number)
async def main():
    file = open("held.txt", "w")
    file.write("whole")
    ${end}
await main()`);
          const read = await session.execute('print(open("held.txt").read())');
          assertMatches(read, { status: 'ok', stdout: 'whole\n' });
        }
      }),
      ...LET_GO.map(([how, fail, letGo]) =>
        test(`what a function held whose error was not caught is freed ${how}`, async (bench) => {
          const session = await bench.open();
          const write = 'file = open("held.txt", "w")\n    file.write("whole")';
          const failed = await session.execute(fail.replace('WRITE', write));
          assertMatches(failed, { status: 'error', error: { type: 'ValueError' } });
          const read = await session.execute(`${letGo}\nprint(open("held.txt").read())`);
          assertMatches(read, { status: 'ok', stdout: 'whole\n' });
        }),
      ),
      test('what locals() gave a function stays as it was if its error is not caught', async (bench) => {
        await bench.run(
          'def fail():\n    global seen\n    seen = locals()\n    later = 1\n    raise ValueError(later)\nfail()',
        );
        assert.equal(await bench.print('print(seen)'), '{}\n');
      }),
    ],
  };
}

import { expect, it, vi } from 'vitest';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { printed, stoppedAt } from '../../../../src/testing/stopped-at.ts';
import { ToolRegistry } from '../../../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';
import { stopAfter } from '../../../support/stop-after.ts';

// However busy the machine is, no program that stops is ended here: one that waits for a processor has as long as it needs.
vi.mock(import('../../../../src/execution/limits/execution-clock.ts'), async (load) => ({
  ...(await load()),
  CANCEL_LIMIT_MS: 120_000 as never,
}));

const PROGRAMS = [
  'while True: await instant()',
  'import asyncio\nwhile True: await asyncio.gather(instant(), instant())',
  'import asyncio\nasync def main():\n    while True: await instant()\nasyncio.run(main())',
  'while True: pass',
  'for _ in range(3): await instant()',
  'await instant()\nraise ValueError',
  'import sys\nawait instant()\nsys.exit(3)',
];

// An interrupt that came up in the midst of a message, or of the event loop, would cost the session.
it('a program can be stopped at whatever moment, hundreds of times, and the session goes on', async () => {
  const tools = new ToolRegistry([{ name: 'instant', description: 'Answers.', run: () => 1 }]);
  await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider(), tools });
  const session = await executor.acquire();
  await session.execute('count = 0');
  for (let run = 0; run < 350; run += 1) {
    const code = PROGRAMS[run % PROGRAMS.length] ?? '';
    // Spread over the first four milliseconds of a program, with no two alike.
    await stopAfter(session, code, ((run * 7) % 40) / 10);
    const next = await session.execute('await instant()\ncount += 1\nprint(count)');
    expect(next).toMatchObject({ status: 'ok', stdout: `${run + 1}\n` });
    // What is left of the one that was stopped is no concern of the next.
    expect(next.stderr).not.toContain('never retrieved');
  }
});

it.each([
  ['open(name).read()', 'while True: open("/etc/passwd").read()'],
  [
    'the end of an object of io',
    'import io\nclass Slow(io.RawIOBase):\n    def close(self):\n        while True: pass\nSlow()\nwhile True: pass',
  ],
  [
    '__del__',
    'class Slow:\n    def __del__(self):\n        while True: pass\nSlow()\nwhile True: pass',
  ],
])('a program is stopped though Python drops what is raised in %s', async (_, code) => {
  await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
  const session = await executor.acquire();
  await session.execute('kept = 42');
  for (let turn = 0; turn < 20; turn += 1) {
    await stopAfter(session, code, 10 + turn);
  }
  expect(await session.execute('kept')).toMatchObject({ stdout: '42\n' });
});

it('a program that waits for a processor for more than a second as it stops keeps its session', async () => {
  const stop = new AbortController();
  const tools = new ToolRegistry([
    { name: 'stop', description: 'Stops the program.', run: () => stop.abort() },
  ]);
  await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider(), tools });
  const session = await executor.acquire();
  // It shares its processor with six others, so the 0.2 s that it still needs take longer than the second that it has.
  const code = `
import os, subprocess, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for _ in range(6):
    subprocess.Popen([sys.executable, '-c', 'while True: pass'])
try:
    await stop()
finally:
    end = time.thread_time() + 0.2
    while time.thread_time() < end:
        pass
    print('cleaned up')
`;
  expect(await session.execute(code, { signal: stop.signal })).toMatchObject({
    status: 'cancelled',
    stdout: 'cleaned up\n',
    sessionOpen: true,
  });
});

it('a stopped program keeps its session though what it left does not end', async () => {
  await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
  const session = await executor.acquire();
  const code = `
import asyncio
async def numbers():
    try:
        yield 1
    finally:
        await asyncio.Event().wait()
async def stubborn():
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass
task = asyncio.create_task(stubborn())
async for number in numbers():
    break
await asyncio.sleep(0)
print('began')
await asyncio.Event().wait()
`;
  const stopped = await stoppedAt(printed('began'), async (timeoutMs) =>
    session.execute(code, { timeoutMs }),
  );
  expect(stopped).toMatchObject({ status: 'timeout', stdout: 'began\n', sessionOpen: true });
});

it('the error of a stopped program says how its interpreter ended', async () => {
  await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
  const session = await executor.acquire();
  // The interpreter starts before the time of the program begins.
  await session.execute('');
  const code =
    'import os, signal\nsignal.signal(signal.SIGINT, lambda *_: os.kill(os.getpid(), signal.SIGTERM))\nwhile True: pass';
  // A program that is stopped before it has its handler keeps its session.
  const { error, sessionOpen } = await stoppedAt(
    (result) => !result.sessionOpen,
    async (timeoutMs) => session.execute(code, { timeoutMs }),
  );
  expect(sessionOpen).toBe(false);
  expect(error?.message).toMatch(
    /^the program ran longer than its limit of \d+ ms, and its session and variables are lost: the interpreter was ended by signal 15, and the session's state with it$/,
  );
});

it('what a program does about its interrupt is not interrupted again', async () => {
  await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
  const session = await executor.acquire();
  await session.execute('');
  // Its \`try\` does not begin with the loop: what is raised as a loop jumps back to the first instruction of a \`try\`
  // passes its \`except\` in Python 3.11 and 3.12, in the plain interpreter as well.
  const code = `
import contextlib, time
@contextlib.contextmanager
def manager():
    try:
        yield
    finally:
        time.sleep(0.01)
        print('manager')
class Other:
    def __enter__(self): pass
    def __exit__(self, *_):
        for _ in range(1000): pass
        print('exit')
def nested():
    try:
        waiting = True
        while waiting: time.time()
    except KeyboardInterrupt:
        for _ in range(1000): pass
        print('except')
        raise
with manager(), Other():
    nested()
`;
  const stopped = await stoppedAt(printed('except'), async (timeoutMs) =>
    session.execute(code, { timeoutMs }),
  );
  expect(stopped).toMatchObject({ status: 'timeout', stdout: 'except\nexit\nmanager\n' });
});

it('a program can be stopped while it loads asyncio, and the next one finds it whole', async () => {
  for (const delayMs of [1, 4, 8, 12, 16, 20, 25, 30, 40, 60]) {
    await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
    const session = await executor.acquire();
    await session.execute('');
    const code = 'import asyncio\nwhile True: await asyncio.sleep(0)';
    const stopped = session.execute(code, { timeoutMs: delayMs });
    expect(await stopped).toMatchObject({ status: 'timeout', sessionOpen: true });
    const next = 'import asyncio\nprint(await asyncio.gather(asyncio.sleep(0, "whole")))';
    expect(await session.execute(next)).toMatchObject({
      error: undefined,
      stdout: "['whole']\n",
    });
  }
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';

let executor: SandboxExecutor;
let session: Session;
beforeAll(async () => {
  executor = new SandboxExecutor({ provider: embeddedProvider() });
  session = await executor.acquire();
});
afterAll(async () => executor.close());

describe('asyncio without threads, in the embedded sandbox', () => {
  const program = (wait: string): string => `import asyncio
loop = asyncio.get_running_loop()
async def work():
    print("ran")
    return 5
def blocking():
    return asyncio.run_coroutine_threadsafe(work(), loop)${wait}
try:
    future = await asyncio.to_thread(blocking)
except RuntimeError as error:
    print(error)
await asyncio.sleep(0)
await asyncio.sleep(0)`;

  it.each(['.result()', '.result(timeout=60)', '.exception()'])(
    'a function that waits for the loop in its own thread gets an error at once: %s',
    async (wait) => {
      const result = await session.execute(program(wait), { timeoutMs: 600_000 });
      expect(result).toMatchObject({
        status: 'ok',
        stdout: expect.stringMatching(/^this future can never finish: .*make it an async function/),
      });
      // The coroutine must not run after its caller has failed.
      expect(result.stdout).not.toContain('ran');
    },
  );

  it('a function may start a coroutine that nothing in it waits for', async () => {
    const code = `${program('')}\nprint(await asyncio.wrap_future(future), future.exception())`;
    expect(await session.execute(code)).toMatchObject({ status: 'ok', stdout: 'ran\n5 None\n' });
  });
});

describe('what the embedded sandbox lacks', () => {
  const network = 'there is no network here; only tools reach anything outside';
  const processes =
    'no other program can be started here, and nothing can be installed; use functions of Python';
  const threads =
    "can't start new thread: this sandbox has none; call the function directly, and tools at the same time with asyncio.gather";

  it.each([
    ['import subprocess\nsubprocess.run(["pip", "install", "x"])', 'OSError', processes],
    [
      'import subprocess, sys\nsubprocess.check_output([sys.executable, "--version"])',
      'OSError',
      processes,
    ],
    ['import asyncio\nawait asyncio.create_subprocess_exec("ls")', 'OSError', processes],
    ['import asyncio\nawait asyncio.create_subprocess_shell("ls")', 'OSError', processes],
    ['import asyncio\nawait asyncio.open_connection("example.com", 80)', 'OSError', network],
    ['import asyncio\nawait asyncio.open_connection("1.1.1.1", 80)', 'OSError', network],
    ['import asyncio\nawait asyncio.start_server(print, "0.0.0.0", 80)', 'OSError', network],
    [
      'import asyncio\nawait asyncio.get_running_loop().getaddrinfo("example.com", 80)',
      'OSError',
      network,
    ],
    [
      'import asyncio\nawait asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=("1.1.1.1", 53))',
      'OSError',
      network,
    ],
    ['import threading\nthreading.Thread(target=print).start()', 'RuntimeError', threads],
    [
      'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool:\n    list(pool.map(str, [1]))',
      'RuntimeError',
      threads,
    ],
  ])('is an error that says what to do: %j', async (code, type, advice) => {
    const { error } = await session.execute(code);
    expect(error?.type).toBe(type);
    expect(error?.message.slice(-advice.length)).toBe(advice);
  });

  it('a sleep for NaN seconds is an error, as in plain Python', async () => {
    const code = 'import time\ntime.sleep(float("nan"))';
    expect(await session.execute(code)).toMatchObject({
      error: { type: 'ValueError', message: 'Invalid value NaN (not a number)' },
    });
  });
});

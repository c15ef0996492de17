import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';

describe('asyncio without threads, in the embedded sandbox', () => {
  let executor: SandboxExecutor;
  let session: Session;
  beforeAll(async () => {
    executor = new SandboxExecutor({ provider: embeddedProvider() });
    session = await executor.acquire();
  });
  afterAll(async () => executor.close());

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

describe('other programs, in the embedded sandbox', () => {
  it.each([
    'import subprocess\nsubprocess.run(["pip", "install", "x"])',
    'import subprocess, sys\nsubprocess.check_output([sys.executable, "--version"])',
  ])('cannot be started, and the error says what to do: %j', async (code) => {
    const executor = new SandboxExecutor({ provider: embeddedProvider() });
    onTestFinished(() => executor.close());
    expect(await executor.execute(code)).toMatchObject({
      error: {
        type: 'OSError',
        message: expect.stringMatching(
          /no other program can be started here, and nothing can be installed; use functions of Python$/,
        ),
      },
    });
  });
});

import { expect, it } from 'vitest';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

// What came up in the midst of the end of a program, or of a message, would cost the session.
it.each([
  ['RuntimeError', 'pass'],
  ['RuntimeError', 'raise ValueError("of its own")'],
  ['SystemExit', 'raise ValueError("of its own")'],
])(
  'a signal handler can raise %s at whatever moment after %s, hundreds of times, and the session goes on',
  async (error, end) => {
    await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
    const session = await executor.acquire();
    await session.execute(`
import signal
def give_up(*_):
    # As handlers had to do long ago.
    signal.signal(signal.SIGALRM, give_up)
    raise ${error}("now")
signal.signal(signal.SIGALRM, give_up)
count = 0`);
    for (let run = 0; run < 300; run += 1) {
      // Spread over the first third of a millisecond, with no two alike.
      const seconds = ((run * 7) % 300) / 1e6 + 1e-6;
      await session.execute(`signal.setitimer(signal.ITIMER_REAL, ${seconds.toFixed(6)})\n${end}`);
      const next = await session.execute('count += 1\nprint(count)');
      expect(next).toMatchObject({ status: 'ok', stdout: `${run + 1}\n` });
    }
  },
);

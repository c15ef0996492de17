import { expect, it, onTestFinished, vi } from 'vitest';
import type { TransportListener } from '../../src/protocol/transport.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { programsOf, type ContractPrograms } from '../../src/testing/index.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { openSuite, runTest } from './local-suite.ts';

const python = programsOf('python');

it.each<[string, keyof ContractPrograms]>([
  ['who holds a program is told when it reports something', 'reports'],
  ['a program that waits can be looked at and cancelled', 'waitForTool'],
  ['closing a session ends the program in it', 'waitForTool'],
  ['a program that waits for its turn can be aborted', 'waitForTool'],
  ['a sandbox that is killed while a program runs is lost', 'waitForTool'],
  ['an abort ends the program, keeps what it printed', 'waitForTool'],
  ['files are written and read while a program waits', 'waitForTool'],
])('the test %j says why its program ended early', async (title, id) => {
  const suite = openSuite({ programs: { ...python, [id]: 'raise ValueError("it is missing")' } });
  await expect(runTest(suite, title)).rejects.toThrow(/ended.*ValueError.*it is missing/);
});

it('says that a sandbox goes on after kill', async () => {
  const suite = openSuite({
    kill: async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
    },
  });
  const passTime = async (): Promise<void> => {
    await expect.poll(() => vi.isFakeTimers() && vi.getTimerCount() > 0).toBe(true);
    await vi.advanceTimersByTimeAsync(120_000);
  };
  await Promise.all([
    expect(runTest(suite, 'a sandbox that is killed between programs')).rejects.toThrow(
      'The session is still open 120 seconds after kill. The option kill must end the sandbox',
    ),
    passTime(),
  ]);
});

it.each([
  'two sessions know nothing of one another',
  'a session that somebody closed is an error that says so',
  'the session of a key keeps its state until it is reset',
  'the key of a session that nobody uses goes to the executor that asks, without state',
])('the test %j fails if its programs do', async (title) => {
  const broken = 'raise ImportError("it is broken")';
  const programs = { ...python, stateBeforeError: broken, showStateBeforeError: broken };
  await expect(runTest(openSuite({ programs }), title)).rejects.toThrow(
    /status should be "ok".*it is broken/s,
  );
});

it.each(['python', 'javascript', 'bash'] as const)(
  'finds a provider that keeps what a program in %s prints in the memory of the host',
  async (language) => {
    const kept: Buffer[] = [];
    const provider = unisolatedLocalProvider();
    const keeping: SandboxProvider = {
      ...provider,
      create: async (...of) => {
        const sandbox = await provider.create(...of);
        const listen = sandbox.transport.listen.bind(sandbox.transport);
        vi.spyOn(sandbox.transport, 'listen').mockImplementation((listener, calls) => {
          const message: TransportListener['message'] = (one, line) => {
            // The runner, which may be in the process of the host, has what it leaves out.
            if (one.kind === 'output-delta') kept.push(Buffer.alloc(one.omitted_bytes, 'x'));
            listener.message(one, line);
          };
          listen({ message, closed: (error) => listener.closed(error) }, calls);
        });
        return sandbox;
      },
    };
    const suite = openSuite({ language, provider: () => keeping });
    leaveGarbage();
    await expect(runTest(suite, 'of a flood of output')).rejects.toThrow('The host’s memory grew');
  },
);

/** The process gives it back at some time, so that its memory shrinks, whatever a test keeps. */
function leaveGarbage(): void {
  for (let count = 0; count < 20; count += 1) Buffer.alloc(10_000_000, 'x');
}

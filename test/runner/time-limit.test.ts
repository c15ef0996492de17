import { expect, it, onTestFinished } from 'vitest';
import type { OutcomeMessage } from '../../src/protocol/messages.ts';
import { SandboxClient, specOf } from '../providers/docker/support.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

/** The runner stops a program on its own 5 s after its limit: to be quick, these are so much below 0. */
const SOON_MS = -4800;
const LATE_MS = 60_000;

/** Has a program sleep for some seconds, with nobody but the runner to stop it. */
async function outcomeOf(
  seconds: number,
  limitMs: number,
  extensions: readonly { readonly id: string; readonly limitMs: number }[],
): Promise<OutcomeMessage> {
  const client = new SandboxClient(await unisolatedLocalProvider().create(specOf('time-limit')));
  onTestFinished(async () => client.sandbox.close());
  const { transport } = client.sandbox;
  const code = `import time\ntime.sleep(${seconds})`;
  // The limit must not pass before the runner knows of those that follow: it gets all of them at the same time.
  const supervisor = Number(client.sandbox.id);
  process.kill(supervisor, 'SIGSTOP');
  transport.send({
    kind: 'execute',
    language: 'python',
    execution_id: 'run',
    code,
    time_limit_ms: limitMs,
  });
  for (const extension of extensions) {
    const { id, limitMs: extendedMs } = extension;
    transport.send({ kind: 'extend', execution_id: id, time_limit_ms: extendedMs });
  }
  process.kill(supervisor, 'SIGCONT');
  for (;;) {
    const message = await client.next();
    if (message.kind === 'outcome') return message;
  }
}

it.each([
  ['is stopped after its limit', 100, SOON_MS, [], 'KeyboardInterrupt'],
  // It ends after the limit that it had at first.
  ['goes on that was given more time', 0.6, SOON_MS, [{ id: 'run', limitMs: LATE_MS }], undefined],
  [
    'is not given that of another',
    100,
    SOON_MS,
    [{ id: '0', limitMs: LATE_MS }],
    'KeyboardInterrupt',
  ],
  ['has the last limit', 100, LATE_MS, [{ id: 'run', limitMs: SOON_MS }], 'KeyboardInterrupt'],
])('a program without a host %s', async (_, seconds, limitMs, extensions, error) => {
  const outcome = await outcomeOf(seconds, limitMs, extensions);
  expect(outcome).toMatchObject({ success: error === undefined, interpreter_end: null });
  expect(outcome.error?.type).toBe(error);
});

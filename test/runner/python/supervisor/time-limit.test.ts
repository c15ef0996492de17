import { expect, it, onTestFinished } from 'vitest';
import type { OutcomeMessage } from '../../../../src/protocol/messages.ts';
import { SandboxClient, specOf } from '../../../providers/docker/support.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

/** The runner stops a program on its own 5 s after its limit: to be quick, these are so much below 0. */
const SOON_MS = -4800;
const LATE_MS = 60_000;

/** Has a program sleep, with nobody but the runner to stop it. */
async function outcomeOf(
  sleepSeconds: number,
  limitMs: number,
  extensions: readonly { readonly id: string; readonly limitMs: number }[],
): Promise<OutcomeMessage> {
  const client = new SandboxClient(await unisolatedLocalProvider().create(specOf('time-limit')));
  onTestFinished(async () => client.sandbox.close());
  const { transport } = client.sandbox;
  // The first message of a turn is written at once, and the others together. So the time of the program begins when both of its
  // limits have been sent.
  transport.send({ kind: 'extend', execution_id: 'none', time_limit_ms: LATE_MS });
  const code = `import time\ntime.sleep(${sleepSeconds})`;
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
  for (;;) {
    const message = await client.next();
    if (message.kind === 'outcome') return message;
  }
}

it.each([
  ['is stopped after its limit', SOON_MS, [], 'KeyboardInterrupt'],
  ['goes on that was given more time', SOON_MS, [{ id: 'run', limitMs: LATE_MS }], undefined],
  ['is not given that of another', SOON_MS, [{ id: '0', limitMs: LATE_MS }], 'KeyboardInterrupt'],
  ['has the last limit', LATE_MS, [{ id: 'run', limitMs: SOON_MS }], 'KeyboardInterrupt'],
])(
  'a program without a host %s [host/killed-host, host/approval-time]',
  async (_, limitMs, extensions, error) => {
    // One that goes on sleeps for longer than until `SOON_MS`; one that is stopped, until it is stopped.
    const outcome = await outcomeOf(error === undefined ? 0.6 : 600, limitMs, extensions);
    expect(outcome).toMatchObject({ success: error === undefined, interpreter_end: null });
    expect(outcome.error?.type).toBe(error);
  },
);

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../../../src/execution/execution.ts';
import type { LanguageName } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { RecordingProvider } from '../../../../src/testing/recording-provider.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';
import { statesBelow } from '../../../support/descendants.ts';

// Without a filter of system calls, so that programs have every means to go on after their end.
const provider = new RecordingProvider(unisolatedLocalProvider());
let executor: SandboxExecutor;
beforeAll(() => {
  executor = new SandboxExecutor({ provider, languages: ['python', 'bash'] });
});
afterAll(async () => executor.close());

/** Runs a program in a new session. */
async function run(
  code: string,
  language: LanguageName = 'python',
): Promise<{ readonly session: Session; readonly result: ExecutionResult }> {
  const session = await executor.acquire();
  return { session, result: await session.execute(code, { language }) };
}

/**
 * A function of Python that has the kernel send SIGCONT to this process every 20 ms, from a second on. The kernel pauses
 * the timer if there is no handler, and if SIGSTOP takes away a SIGCONT that waits.
 */
const START_TIMER = `
import ctypes, signal
def start_timer():
    signal.signal(signal.SIGCONT, lambda *_: None)
    libc = ctypes.CDLL(None)
    event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)
    timer = ctypes.c_void_p()
    assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
    assert libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 20_000_000, 1, 0), None) == 0
`;

const COMPUTE = `
import threading
def compute():
    while True: pass
threading.Thread(target=compute, daemon=True).start()
`;

/** Programs that have the kernel let their guest go on between runs. */
const RESUMERS: readonly (readonly [string, LanguageName, string])[] = [
  ['a timer', 'python', `${START_TIMER}${COMPUTE}start_timer()`],
  [
    'a timer, and stops again at once',
    'python',
    `${START_TIMER}
import os, threading
def stop_again():
    while True:
        signal.sigwait({signal.SIGCONT})
        os.kill(os.getpid(), signal.SIGSTOP)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT})
threading.Thread(target=stop_again, daemon=True).start()
start_timer()`,
  ],
  [
    'a timer of the shell that bash keeps',
    'bash',
    `exec python3 -c '${START_TIMER}
import os, sys
start_timer()
with open(sys.argv[1], "w") as control: control.write("done %d 0\\n" % os.getpid())
while True: pass' "$__ptc_control"`,
  ],
];

/** The kernel sends SIGCONT if what is read makes room in a pipe that was full, which it need not have been. */
const SIGNAL_OF_OUTPUT = `
import fcntl, os, signal, threading
signal.signal(signal.SIGCONT, lambda *_: None)
fcntl.fcntl(1, fcntl.F_SETFL, os.O_ASYNC | os.O_WRONLY)
fcntl.fcntl(1, fcntl.F_SETOWN, os.getpid())
fcntl.fcntl(1, 10, signal.SIGCONT) # F_SETSIG
def print_on():
    while True: os.write(1, b"x" * 65536)
threading.Thread(target=print_on, daemon=True).start()`;

describe('a guest that goes on between two runs', () => {
  it.each(RESUMERS)('by %s is ended [supervisor/resumed]', async (_, language, code) => {
    const { session } = await run(code, language);
    await expect.poll(() => provider.open.has(session.id)).toBe(false);
  });

  it('by a signal for its output, which is read after its end, is ended, or else it stands still [supervisor/resumed]', async () => {
    const { session } = await run(SIGNAL_OF_OUTPUT);
    const sandbox = provider.created.get(session.id)?.id;
    const isEnded = (): boolean => !provider.open.has(session.id);
    // The supervisor may read on after the run's end: that it stands still at first says nothing.
    for (let looks = 0; looks < 25 && !isEnded(); looks += 1) await delay(20);
    await expect.poll(() => (isEnded() ? 'T' : statesBelow(sandbox))).toMatch(/^[TZ]+$/);
  });
});

describe('a guest that the end of what a program left behind has gone on', () => {
  it.each([
    [
      'since its process group has become an orphan',
      `
import os, signal, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
group = os.getpgrp()
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork() == 0:
        os.setpgid(0, group)
    time.sleep(100)
time.sleep(0.3)`,
    ],
    [
      'since that sends SIGCONT when it ends',
      `
import ctypes, os, signal, time
libc = ctypes.CDLL(None)
if libc.syscall(220 if os.uname().machine == "aarch64" else 56, int(signal.SIGCONT), None, None, None, None) == 0: # clone
    time.sleep(100)
time.sleep(0.1)`,
    ],
  ])('%s is stopped again [supervisor/resumed]', async (_, code) => {
    const { session, result } = await run(code);
    expect(result).toMatchObject({ status: 'ok', sessionOpen: true });
    expect(statesBelow(provider.created.get(session.id)?.id)).toMatch(/^[TZ]+$/);
    const next = await session.execute('print("mine")');
    expect(next).toMatchObject({ status: 'ok', stdout: 'mine\n' });
    await session.destroy();
  });
});

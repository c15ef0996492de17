import { describe, expect, it } from 'vitest';
import type { LanguageName } from '../../../../src/protocol/messages.ts';
import { useLocalSessions } from './local-sessions.ts';

const { run, statesOf } = useLocalSessions();

/** Programs that write a text to the pipe of their guest, and then do something else. */
const WRITERS: readonly (readonly [LanguageName, (text: string, then: Next) => string])[] = [
  ['python', (text, then) => `import os\nos.write(4, b'${text}')\n${PYTHON[then]}`],
  ['javascript', (text, then) => `require('node:fs').writeSync(4, '${text}');\n${NODE[then]}`],
  ['bash', (text, then) => `printf '${text}' >"/proc/$PPID/fd/4"\n${BASH[then]}`],
];
type Next = 'computes' | 'sleeps';
const PYTHON: Record<Next, string> = {
  computes: 'while True: pass',
  sleeps: 'import time\ntime.sleep(100)',
};
const NODE: Record<Next, string> = {
  computes: 'for (;;);',
  sleeps: 'await new Promise((resolve) => setTimeout(resolve, 100_000));',
};
const BASH: Record<Next, string> = { computes: 'while :; do :; done', sleeps: 'sleep 100' };

const SUCCESS = { success: true, value: 'forged', error: null, exit_code: 0 };

/** The line of a report, as it stands in a text of any of the languages. The first run of a session has the id 1. */
function report(fields: object = {}, executionId = '1'): string {
  const body = JSON.stringify({ execution_id: executionId, ...SUCCESS, ...fields });
  return String.raw`__PTC_OUTPUT__${body}__PTC_END_OUTPUT__\n`;
}

/** The line that hands a value back. */
function valueLine(json: string, executionId = '1'): string {
  return String.raw`__PTC_VALUE__{"execution_id":"${executionId}","value":${json}}__PTC_END_VALUE__\n`;
}

/** A program in Python that reports its success, and then does something when the next program arrives in its pipe. */
function afterReport(then: string): string {
  return `import os, select\nos.write(4, b'${report()}')\nselect.select([3], [], [])\n${then}`;
}

/** The session ended with its interpreter. */
const LOST = { status: 'sandbox-lost', sessionOpen: false, error: { type: 'InterpreterEnded' } };

describe.each(WRITERS)('a program in %s that reports its own end', (language, write) => {
  it('is frozen where it did, and uses no processor until its next run [supervisor/freeze, supervisor/exited]', async () => {
    const { session, result } = await run(language, write(report(), 'computes'));
    // Of a success the program has the word. That it stands still is a fact.
    expect(result).toMatchObject({ status: 'ok', stdout: 'forged\n', sessionOpen: true });
    // T is stopped. Z has ended, and waits for a parent that is stopped.
    expect(statesOf(session)).toMatch(/^[TZ]+$/);
    await session.destroy();
  });

  it('hands back what it says, the last if it says several things', async () => {
    const lines = valueLine('{"a":1}') + valueLine('[2]') + report();
    const { session, result } = await run(language, write(lines, 'sleeps'));
    expect(result).toMatchObject({ status: 'ok', value: [2], sessionOpen: true });
    await session.destroy();
  });

  it('hands back nothing that it says after its report', async () => {
    const { result } = await run(language, write(report() + valueLine('1'), 'sleeps'));
    expect(result).toMatchObject({ status: 'ok', value: undefined });
  });

  it.each([
    ['no JSON', valueLine('{')],
    ['a number beyond a double', valueLine('1e400')],
    ['a value of another run', valueLine('1', '2')],
  ])('loses its session by %s', async (_, line) => {
    const { result } = await run(language, write(line + report(), 'sleeps'));
    expect(result).toMatchObject({
      status: 'protocol-error',
      value: undefined,
      sessionOpen: false,
    });
  });

  it.each([
    ['success', { success: 'yes' }],
    ['value', { value: {} }],
    ['value', { value: [[[]]] }],
    ['error', { error: [], success: false, exit_code: 1 }],
    ['type', { error: { message: '', line: null, traceback: '' }, success: false, exit_code: 1 }],
    [
      'line',
      {
        error: { type: '', message: '', line: -1, traceback: '' },
        success: false,
        exit_code: 1,
      },
    ],
    ['exit_code', { exit_code: '0' }],
    ['exit_code', { exit_code: 300 }],
    ['exit_code', { exit_code: 0.5 }],
    ['exit_code', { exit_code: true }],
    ['exit_code', { exit_code: 7 }],
    ['shell', { shell: '1' }],
  ])(
    'loses its session if the field %s is wrong: %j [host/report-fields, supervisor/odd-reports]',
    async (_, fields) => {
      const { result } = await run(language, write(report(fields), 'sleeps'));
      expect(result).toMatchObject(LOST);
      expect(result.error?.message).toContain('wrote to a pipe of its own interpreter');
    },
  );

  it.each([
    ['says two things', report() + report({ value: 'other' })],
    ['names another run', report({}, '2')],
    ['is followed by what is not a frame', String.raw`${report()}no frame\n`],
    ['is no JSON', String.raw`__PTC_OUTPUT__{__PTC_END_OUTPUT__\n`],
  ])('loses its session without success if that %s [supervisor/odd-reports]', async (_, lines) => {
    const { result } = await run(language, write(lines, 'sleeps'));
    expect(result).toMatchObject(LOST);
  });
});

describe('a program that exits after it has reported that it succeeded', () => {
  it('has done so in the next run, which tells with which status', async () => {
    const { session, result } = await run('python', afterReport('os._exit(7)'));
    expect(result.status).toBe('ok');
    const next = await session.execute('print("never")');
    expect(next).toMatchObject({ status: 'sandbox-lost', stdout: '', sessionOpen: false });
    expect(next.error?.message).toContain('status 7');
  });

  it('has all told that it printed to a pipe that it enlarged', async () => {
    const code = `
import fcntl, os
fcntl.fcntl(1, 1031, 1 << 20) # F_SETPIPE_SZ
os.write(1, b"x" * 900_000)
os._exit(7)`;
    const { result } = await run('python', code);
    expect(result).toMatchObject({ status: 'sandbox-lost', sessionOpen: false });
    expect(result.stdout.length).toBe(900_000);
  });

  it('has not, if it is heard of after its exit [every/ended-program, supervisor/exited]', async () => {
    // The line is whole only once the process that wrote the first half of it has ended.
    const line = report();
    const code = `
import os
parent = os.getpid()
written, into = os.pipe()
if os.fork() == 0:
    os.write(4, b'${line.slice(0, -2)}')
    os.write(into, b"x")
    while os.getppid() == parent: pass
    os.write(4, b'\\n')
    os._exit(0)
os.read(written, 1)
os._exit(7)`;
    const { result } = await run('python', code);
    expect(result).toMatchObject({ status: 'sandbox-lost', sessionOpen: false });
    expect(result.error?.message).toContain('status 7');
  });

  it('ends its session if it goes on in the next run and reports something else', async () => {
    const { session } = await run('python', afterReport('raise ValueError'));
    const next = await session.execute('while True: pass');
    expect(next).toMatchObject({ status: 'sandbox-lost', sessionOpen: false });
    expect(next.error?.message).toContain('a report of a run that was over');
  });
});

import { spawn, execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { nodeGuest } from '../../../../src/sandbox/guests/javascript-guest.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'enter-program-'));
});
afterAll(async () => rm(directory, { recursive: true }));

/** A guest whose supervisor is the test, which has the token's pipe too. */
async function startGuest() {
  const [file = '', ...args] = (await nodeGuest()).command(DEFAULT_LIMITS);
  const fifo = join(directory, randomUUID());
  await promisify(execFile)('mkfifo', [fifo]);
  const token = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  const stdio = ['ignore', 'inherit', 'inherit', 'pipe', 'pipe', 'pipe', 2, token, token] as const;
  const child = spawn(file, args, { stdio: [...stdio] });
  onTestFinished(() => {
    closeSync(token);
    child.kill('SIGKILL');
  });
  const [, , , frames, said] = child.stdio;
  const printed = child.stdio.at(5);
  if (!(frames instanceof Writable && said instanceof Readable && printed instanceof Readable)) {
    throw new Error('The guest has no streams.');
  }
  const [reports, lines] = [said, printed].map((input) =>
    createInterface({ input })[Symbol.asyncIterator](),
  );
  const next = async (from: typeof reports): Promise<unknown> => (await from?.next())?.value;
  expect(await next(reports)).toContain('READY');
  return {
    child,
    execute: (code: string) => {
      const body = { execution_id: 'a', language: 'javascript', code, time_limit_ms: 9 };
      frames.write(`__PTC_EXECUTE__${JSON.stringify(body)}__PTC_END_EXECUTE__\n`);
    },
    cancel: () => void frames.write('__PTC_CANCEL__{"execution_id":"a"}__PTC_END_CANCEL__\n'),
    nextReport: async () => next(reports),
    nextLine: async () => next(lines),
    take: () => {
      const taken = Buffer.alloc(1);
      readSync(token, taken);
      return taken.toString();
    },
    put: (byte: string) => void writeSync(token, byte),
  };
}

describe('a guest whose program is to be stopped', () => {
  it('waits once for signals that were not sent, if the program pretends that many were', async () => {
    const guest = await startGuest();
    // As a program can do that finds the pipe.
    guest.put('s'.repeat(40));
    guest.execute('6 * 7');
    expect(await guest.nextReport()).toContain('42');
    expect(() => guest.take()).toThrow('EAGAIN');
  });

  it.each([
    ['ends', (code: string) => code],
    ['throws', (code: string) => `setTimeout(() => { ${code}; throw new Error('late') })`],
  ])('waits for the signal that was sent if the program’s code %s before it', async (_, around) => {
    const guest = await startGuest();
    const sent = join(directory, randomUUID());
    const code = `console.log('in'); while (!existsSync(${JSON.stringify(sent)})); console.log('out')`;
    guest.execute(`const { existsSync } = require('node:fs'); ${around(code)}`);
    expect(await guest.nextLine()).toBe('in');
    expect(guest.take()).toBe('i');
    guest.put('s');
    await writeFile(sent, '');
    expect(await guest.nextLine()).toBe('out');
    // Its code has ended, and nothing of it runs.
    const state = `/proc/${guest.child.pid}/stat`;
    await expect.poll(async () => readFile(state, 'utf8')).toMatch(/\((node|.*MainThread)\) S/);
    guest.child.kill('SIGINT');
    expect(await guest.nextReport()).toContain('"type":"Interrupted"');
    guest.execute('6 * 7');
    expect(await guest.nextReport()).toContain('"value":"42"');
  });

  it('survives a second signal that comes after the first one has ended the program’s code', async () => {
    const guest = await startGuest();
    guest.execute("console.log('in'); for (;;);");
    expect(await guest.nextLine()).toBe('in');
    expect(guest.take()).toBe('i');
    guest.child.kill('SIGINT');
    // The guest takes this once the program's code is left, and then waits for the token.
    guest.put('a');
    await expect.poll(() => isOutside(guest)).toBe(true);
    guest.child.kill('SIGINT');
    guest.put('t');
    expect(await guest.nextReport()).toContain('"type":"Interrupted"');
    guest.execute('6 * 7');
    expect(await guest.nextReport()).toContain('"value":"42"');
  });

  it('waits for a second signal as long as a thread that could bring it is busy', async () => {
    const guest = await startGuest();
    // On a busy machine, Node's own thread for signals waits for a processor as this thread uses one.
    guest.execute(
      "require('node:crypto').pbkdf2('', '', 5e6, 64, 'sha512', () => {}); console.log('in'); for (;;);",
    );
    expect(await guest.nextLine()).toBe('in');
    expect(guest.take()).toBe('i');
    guest.child.kill('SIGINT');
    guest.put('a');
    await expect.poll(() => isOutside(guest)).toBe(true);
    guest.put('t');
    // It looks every millisecond.
    const looked = (await timesPaused(guest.child.pid)) + 100;
    await expect.poll(async () => timesPaused(guest.child.pid)).toBeGreaterThan(looked);
    guest.child.kill('SIGINT');
    expect(await guest.nextReport()).toContain('"type":"Interrupted"');
    guest.execute('6 * 7');
    expect(await guest.nextReport()).toContain('"value":"42"');
  });

  it('tells the program’s listeners nothing of how the guest leaves it', async () => {
    const guest = await startGuest();
    guest.execute(
      "process.on('uncaughtExceptionMonitor', () => console.log('told')); console.log('in'); for (;;);",
    );
    expect(await guest.nextLine()).toBe('in');
    expect(guest.take()).toBe('i');
    guest.child.kill('SIGINT');
    guest.put('s');
    expect(await guest.nextReport()).toContain('"type":"Interrupted"');
    guest.execute("console.log('next')");
    expect(await guest.nextLine()).toBe('next');
  });

  it('ends it the next time that its code runs, where it was asked outside of it', async () => {
    const guest = await startGuest();
    guest.execute("console.log('in'); setInterval(() => {}, 20); await new Promise(() => {})");
    expect(await guest.nextLine()).toBe('in');
    await expect.poll(() => isOutside(guest)).toBe(true);
    guest.put('a');
    expect(await guest.nextReport()).toContain('"type":"Interrupted"');
    const ended = once(guest.child, 'exit');
    guest.child.kill('SIGKILL');
    await ended;
  });
});

describe('a guest that is told to cancel its program', () => {
  it('ends the timers of the program, also if it was asked outside of the program’s code', async () => {
    const guest = await startGuest();
    guest.execute("console.log('in'); setInterval(() => {}, 1e6); await new Promise(() => {})");
    expect(await guest.nextLine()).toBe('in');
    await expect.poll(() => isOutside(guest)).toBe(true);
    guest.put('a');
    guest.cancel();
    expect(await guest.nextReport()).toContain('"type":"Interrupted"');
    // With the interval, this program would have something to wait for.
    guest.execute('globalThis.next = 1;');
    expect(await guest.nextReport()).toContain('"success":true');
  });
});

describe('a guest that makes a timer', () => {
  it('gets no signal meanwhile, and ends the program at the next timer where it was asked', async () => {
    const guest = await startGuest();
    const go = join(directory, 'go');
    guest.execute(
      `const { existsSync } = require('node:fs');
require('node:async_hooks').createHook({ init(id, type) {
  if (type !== 'Timeout' || existsSync(${JSON.stringify(go)})) return;
  console.log('in');
  while (!existsSync(${JSON.stringify(go)}));
} }).enable();
for (;;) setTimeout(() => {}, 1);`,
    );
    expect(await guest.nextLine()).toBe('in');
    expect(isOutside(guest)).toBe(true);
    guest.put('a');
    await writeFile(go, '');
    expect(await guest.nextReport()).toContain('"type":"Interrupted"');
    guest.execute('await new Promise((resolve) => setTimeout(resolve, 1));\n6 * 7');
    expect(await guest.nextReport()).toContain('"value":"42"');
  });
});

/** Whether no token is there; one that is there is put back. */
function isOutside(guest: { take: () => string; put: (byte: string) => void }): boolean {
  try {
    guest.put(guest.take());
    return false;
  } catch {
    return true;
  }
}

/** How often the main thread of a process has given up its processor to wait. */
async function timesPaused(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1]);
}

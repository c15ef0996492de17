import { execFile } from 'node:child_process';
import { open as openFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuditLog } from '../../src/audit/entry.ts';
import {
  callEntry,
  closedEntry,
  open,
  readLog,
  readUntilClosed,
  temporaryPath,
  verify,
  type Line,
} from './support.ts';

/** Two of them take more than the queue of 8 MiB. */
const COUNT = 3000;
const LONG_NAME = '\u0001'.repeat(1024);

/** Records more than the queue holds, all in one turn of the event loop. */
function flood(log: AuditLog): void {
  for (let index = 0; index < COUNT; index++) log.record(callEntry(LONG_NAME, { index }));
}

function callsIn(lines: readonly Line[]): Line[] {
  return lines.filter(({ type }) => type === 'tool-call-ended');
}

/** A log whose file is a pipe that nobody reads, while time stands still. */
async function floodUnread(): Promise<{
  readonly path: string;
  readonly log: AuditLog;
  readonly errors: readonly string[];
}> {
  const path = await temporaryPath();
  await promisify(execFile)('mkfifo', [path]);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const errors: string[] = [];
  const log = await open({ path, onError: (error) => errors.push(error.message) });
  flood(log);
  return { path, log, errors };
}

/** Lets everything happen that waits for nothing. */
async function nextTurn(): Promise<'turn'> {
  return new Promise((resolve) => setImmediate(resolve, 'turn'));
}

describe('a log that is given more than its queue holds', () => {
  it('keeps every entry, in order, and says when it has room again [host/audit-complete]', async () => {
    const path = await temporaryPath();
    const log = await open({ path, maxFileBytes: 2 ** 30 });
    expect(log.ready()).toBeUndefined();
    flood(log);
    const ready = log.ready();
    expect(ready).toBeInstanceOf(Promise);
    log.record(closedEntry('after the flood'));
    await ready;
    await log.close();
    const lines = await readLog(path);
    expect(lines.filter(({ type }) => type === 'entries-dropped')).toEqual([]);
    expect(callsIn(lines)).toHaveLength(COUNT);
    expect(lines.at(-2)).toMatchObject({ type: 'session-closed', sessionId: 'after the flood' });
    expect((await verify(path)).problem).toBeUndefined();
  });

  it('writes all of it when it is closed at once', async () => {
    const path = await temporaryPath();
    const log = await open({ path, maxFileBytes: 2 ** 30 });
    flood(log);
    await log.close();
    expect(callsIn(await readLog(path))).toHaveLength(COUNT);
  });

  it('lets others work while it makes records of large arguments', async () => {
    const path = await temporaryPath();
    const log = await open({ path, maxFileBytes: 2 ** 30, includeText: true });
    const large = { text: 'x'.repeat(1_000_000) };
    for (let index = 0; index < 40; index++) log.record(callEntry('large', large));
    const ready = log.ready()?.then(() => 'ready');
    // Each turn goes on for some milliseconds: 40 of these entries take a second and more of processor time.
    let turns = 0;
    while ((await Promise.race([ready, nextTurn()])) === 'turn') turns += 1;
    expect(turns).toBeGreaterThan(20);
    await log.close();
    expect(callsIn(await readLog(path))).toHaveLength(40);
  });
});

describe('a log that cannot be written', () => {
  it('because its file never answers counts as one that fails after ten seconds, and goes on when it answers [waiting/audit]', async () => {
    const { path, log, errors } = await floodUnread();
    const ready = log.ready()?.then(() => 'ready');
    // Until the pipe is full, writing goes on.
    const pipe = await openFile(path, 'r+');
    onTestFinished(() => pipe.close());
    for (let turn = 0; turn < 1000; turn++) await nextTurn();
    expect(await Promise.race([ready, nextTurn()])).toBe('turn');
    expect(errors).toEqual([]);
    while ((await Promise.race([ready, nextTurn()])) === 'turn') vi.advanceTimersByTime(1000);
    expect(errors).toMatchObject([
      expect.stringContaining('a write did not finish within 10000 ms'),
    ]);
    const closing = log.close();
    const text = await readUntilClosed(pipe);
    await closing;
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const dropped = lines.find(({ type }) => type === 'entries-dropped');
    expect(Number(dropped?.['count'])).toBeGreaterThan(0);
    expect(callsIn(lines).length + Number(dropped?.['count'])).toBe(COUNT);
  });

  it('because its file never answers is closed after ten seconds without a write, and says what is lost', async () => {
    const { path, log, errors } = await floodUnread();
    // Nobody reads it, so the first writes end and a later one does not.
    const pipe = await openFile(path, 'r+');
    onTestFinished(() => pipe.close());
    const closing = log.close().then(() => 'closed');
    for (let turn = 0; turn < 1000; turn++) await nextTurn();
    expect(await Promise.race([closing, nextTurn()])).toBe('turn');
    expect(errors).toEqual([]);
    while ((await Promise.race([closing, nextTurn()])) === 'turn') vi.advanceTimersByTime(1000);
    expect(errors).toMatchObject([
      expect.stringContaining('a write did not finish within 10000 ms'),
      expect.stringMatching(/[1-9]\d* waiting entries, .* are lost/),
    ]);
  });
});

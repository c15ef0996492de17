import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Patience } from '../../src/shared/held-names/ask-holder.ts';
import { askForName, holdName, isNameHeld } from '../../src/shared/held-names/held-name.ts';
import { openNameDirectory } from '../../src/shared/held-names/name-directory.ts';
import { NameFiles, removeDeadNames } from '../../src/shared/held-names/name-files.ts';
import { listen, stateOf } from '../../src/shared/held-names/name-socket.ts';
import { startTypeScript } from '../support/typescript-process.ts';

const CONTENDER = new URL('./contend-name.ts', import.meta.url);
const HOLDER = new URL('./hold-name.ts', import.meta.url);

describe('a name that one process holds', () => {
  it('is free if its holder lets go of it before it answers who asks', async () => {
    const path = join(await openNameDirectory(), randomUUID().slice(0, 30));
    const socket = await listen(path);
    // Both reach the system at once, and neither waits for the event loop.
    const asked = stateOf(path);
    const closed = socket?.close();
    expect(await asked).toBe('absent');
    await closed;
  });

  it('is refused to a second holder until the first lets go [host/held-names]', async () => {
    const name = randomUUID();
    const first = await holdName(name);
    expect(await holdName(name)).toBeUndefined();
    expect(await isNameHeld(name)).toBe(true);
    await first?.release();
    expect(await isNameHeld(name)).toBe(false);
    const second = await holdName(name);
    expect(second).toBeDefined();
    await second?.release();
  });

  it('goes to exactly one of many who ask at the same moment', async () => {
    const name = randomUUID();
    const asked = await Promise.all(Array.from({ length: 20 }, () => holdName(name)));
    const holders = asked.filter((holder) => holder !== undefined);
    expect(holders).toHaveLength(1);
    await holders[0]?.release();
  });

  it('is free as soon as the process that held it was killed', async () => {
    const name = randomUUID();
    const child = startTypeScript(HOLDER, name, 'stay');
    await once(child.stdout, 'data');
    expect(await holdName(name)).toBeUndefined();
    child.kill('SIGKILL');
    await once(child, 'close');
    const mine = await holdName(name);
    expect(mine).toBeDefined();
    await mine?.release();
  });

  it('tells those who wait for it when its holder lets go, and one of them gets it', async () => {
    const name = randomUUID();
    const { signal } = new AbortController();
    await askForName(name, new Patience(Infinity), signal);
    const holder = await holdName(name);
    const order: string[] = [];
    const waiters = Array.from({ length: 3 }, async () => {
      await askForName(name, new Patience(Infinity), signal);
      order.push('told');
      const held = await holdName(name);
      if (held === undefined) return false;
      // Those who did not wait yet when it was released wait for this one now.
      await held.release();
      return true;
    });
    expect(await isNameHeld(name)).toBe(true);
    order.push('released');
    await holder?.release();
    expect(await Promise.all(waiters)).toContain(true);
    expect(order.slice(0, 2)).toEqual(['released', 'told']);
    expect(order.filter((event) => event === 'told')).toHaveLength(3);
  });

  it('tells those who wait for it when its holder is killed', async () => {
    const name = randomUUID();
    const child = startTypeScript(HOLDER, name, 'stay');
    await once(child.stdout, 'data');
    const signal = AbortSignal.timeout(120_000);
    const waiting = askForName(name, new Patience(Infinity), signal);
    expect(await isNameHeld(name)).toBe(true);
    child.kill('SIGKILL');
    await waiting;
    let mine = await holdName(name);
    while (mine === undefined) {
      await askForName(name, new Patience(Infinity), signal);
      mine = await holdName(name);
    }
    await mine.release();
  });

  it('is waited for no longer than the waiter wants', async () => {
    const name = randomUUID();
    const holder = await holdName(name);
    const controller = new AbortController();
    const waiting = askForName(name, new Patience(Infinity), controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await holder?.release();
  });

  it('keeps no process alive', async () => {
    const child = startTypeScript(HOLDER, randomUUID());
    const [status] = await once(child, 'close');
    expect(status).toBe(0);
  });

  it('is never held by two of several processes that take it in turns, some of which are killed [host/held-names]', async () => {
    const name = randomUUID();
    const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-names-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const args = [name, join(directory, 'witness'), '15'];
    const children = [0, 1, 2, 3].map((index) =>
      startTypeScript(CONTENDER, ...args, ...(index % 2 === 0 ? ['die'] : [])),
    );
    const ends = await Promise.all(children.map(async (child) => once(child, 'close')));
    expect(ends).toEqual([
      [null, 'SIGKILL'],
      [0, null],
      [null, 'SIGKILL'],
      [0, null],
    ]);
    const held = await holdName(name);
    expect(held).toBeDefined();
    await held?.release();
  });

  it('leaves no file once it is released, and those of a killed holder go with the next', async () => {
    const name = randomUUID();
    await (await holdName(name))?.release();
    expect(await filesOf(name)).toEqual([]);
    await leaveDead(name);
    const held = await holdName(name);
    expect(held).toBeDefined();
    expect(await filesOf(name)).toHaveLength(2);
    await held?.release();
    expect(await filesOf(name)).toEqual([]);
  });

  it('has its files removed if its holder is dead and nobody takes it, and never if it is live', async () => {
    const [name, living] = [randomUUID(), randomUUID()];
    const held = await holdName(living);
    await leaveDead(name);
    // Returns the number of those that no other process removed first.
    await removeDeadNames();
    expect(await filesOf(name)).toEqual([]);
    expect(await isNameHeld(living)).toBe(true);
    await held?.release();
  });

  it('has a directory of its own, so that nobody reads the files of other names', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const [heldOne, heldOther] = [await holdName(one), await holdName(other)];
    expect(await filesOf(one)).toHaveLength(2);
    await heldOne?.release();
    await expect(stat(await directoryOf(one))).rejects.toMatchObject({ code: 'ENOENT' });
    await leaveDead(one);
    expect(await isNameHeld(one)).toBe(false);
    await expect(stat(await directoryOf(one))).rejects.toMatchObject({ code: 'ENOENT' });
    await heldOther?.release();
  });

  it('has its file touched each hour, so that no cleaner of temporary files takes it for forgotten', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const name = randomUUID();
    const held = await holdName(name);
    const [file = ''] = await filesOf(name);
    await utimes(file, 1, 1);
    vi.advanceTimersByTime(3_600_000);
    await expect.poll(async () => (await stat(file)).mtimeMs).toBeGreaterThan(1e12);
    await held?.release();
  });

  it('hangs up on those beyond the 256 that wait for it, and stays held', async () => {
    const name = randomUUID();
    const holder = await holdName(name);
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    let told = 0;
    const waiting = Array.from({ length: 300 }, async () => {
      await askForName(name, new Patience(Infinity), stop.signal).then(
        () => (told += 1),
        () => undefined,
      );
    });
    // More, if some came while others only asked whether it is held.
    await expect.poll(() => told).toBeGreaterThanOrEqual(44);
    expect(await isNameHeld(name)).toBe(true);
    stop.abort();
    await Promise.all(waiting);
    await holder?.release();
  });
});

/** Has a process that is killed hold the name. */
async function leaveDead(name: string): Promise<void> {
  const child = startTypeScript(HOLDER, name, 'stay');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
}

/** The paths of the files of a name. */
async function filesOf(name: string): Promise<string[]> {
  const directory = await directoryOf(name);
  const fileNames = await readdir(directory).catch(() => []);
  return fileNames.map((fileName) => join(directory, fileName));
}

async function directoryOf(name: string): Promise<string> {
  return dirname((await NameFiles.of(name)).path('', 'claim'));
}

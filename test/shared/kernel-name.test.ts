import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { holdName, isNameHeld, waitUntilFree } from '../../src/shared/kernel-name.ts';
import { startTypeScript } from '../support/typescript-process.ts';

const HOLDER = new URL('./hold-name.ts', import.meta.url);

describe('a name that one process holds', () => {
  it('is refused to a second holder until the first lets go', async () => {
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
    await waitUntilFree(name, signal);
    const holder = await holdName(name);
    const order: string[] = [];
    const waiters = Array.from({ length: 3 }, async () => {
      await waitUntilFree(name, signal);
      order.push('told');
      return holdName(name);
    });
    expect(await isNameHeld(name)).toBe(true);
    order.push('released');
    await holder?.release();
    const next = (await Promise.all(waiters)).filter((held) => held !== undefined);
    expect(order).toEqual(['released', 'told', 'told', 'told']);
    expect(next).toHaveLength(1);
    await next[0]?.release();
  });

  it('tells those who wait for it when its holder is killed', async () => {
    const name = randomUUID();
    const child = startTypeScript(HOLDER, name, 'stay');
    await once(child.stdout, 'data');
    const signal = AbortSignal.timeout(20_000);
    const waiting = waitUntilFree(name, signal);
    expect(await isNameHeld(name)).toBe(true);
    child.kill('SIGKILL');
    await waiting;
    let mine = await holdName(name);
    while (mine === undefined) {
      await waitUntilFree(name, signal);
      mine = await holdName(name);
    }
    await mine.release();
  });

  it('is waited for no longer than the waiter wants', async () => {
    const name = randomUUID();
    const holder = await holdName(name);
    const controller = new AbortController();
    const waiting = waitUntilFree(name, controller.signal);
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
});

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { holdName, isNameHeld } from '../../src/shared/kernel-name.ts';
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

  it('keeps no process alive', async () => {
    const child = startTypeScript(HOLDER, randomUUID());
    const [status] = await once(child, 'close');
    expect(status).toBe(0);
  });
});

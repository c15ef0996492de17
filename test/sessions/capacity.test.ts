import { afterEach, describe, expect, it, vi } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import { Capacity, type Permit } from '../../src/sessions/supply/capacity.ts';

const { signal } = new AbortController();
const nothing = (): boolean => false;

afterEach(() => {
  vi.useRealTimers();
});

describe('the capacity for sandboxes', () => {
  it('has no end where none is set', async () => {
    const capacity = new Capacity({ makeRoom: nothing });
    for (let i = 0; i < 100; i += 1) await capacity.acquire(signal);
    expect(capacity.tryAcquire()).toBeDefined();
  });

  it('serves those who wait in their order, each when a permit comes back', async () => {
    const capacity = new Capacity({ maxSandboxes: 1, makeRoom: nothing });
    const first = await capacity.acquire(signal);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      const permit = await capacity.acquire(signal);
      order.push(number);
      permit.release();
    });
    expect(capacity.tryAcquire()).toBeUndefined();
    expect(order).toEqual([]);
    first.release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('gets a permit back once, however often it is released', async () => {
    const capacity = new Capacity({ maxSandboxes: 1, makeRoom: nothing });
    const permit = await capacity.acquire(signal);
    permit.release();
    permit.release();
    expect(capacity.tryAcquire()).toBeDefined();
    expect(capacity.tryAcquire()).toBeUndefined();
  });

  it('lets nobody past those who wait', async () => {
    const capacity = new Capacity({ maxSandboxes: 1, makeRoom: nothing });
    const first = await capacity.acquire(signal);
    const waiting = capacity.acquire(signal);
    first.release();
    expect(capacity.tryAcquire()).toBeUndefined();
    expect(await waiting).toBeDefined();
  });

  it('refuses who waited for 30 s, and gives the next permit to the next', async () => {
    vi.useFakeTimers();
    const capacity = new Capacity({ maxSandboxes: 1, makeRoom: nothing });
    const first = await capacity.acquire(signal);
    const refused = capacity.acquire(signal).catch((error: unknown) => error);
    vi.advanceTimersByTime(29_999);
    const next = capacity.acquire(signal);
    vi.advanceTimersByTime(1);
    expect(await refused).toMatchObject({
      code: 'SANDBOX_LIMIT',
      message: expect.stringContaining('30000 ms'),
      details: { maxSandboxes: 1 },
    });
    first.release();
    expect(await next).toBeDefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('forgets who no longer wants to wait', async () => {
    vi.useFakeTimers();
    const capacity = new Capacity({ maxSandboxes: 1, makeRoom: nothing });
    const first = await capacity.acquire(signal);
    const controller = new AbortController();
    const waiting = capacity.acquire(controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(capacity.acquire(controller.signal)).rejects.toBe(reason);
    first.release();
    expect(capacity.tryAcquire()).toBeDefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('refuses at once where nobody shall wait', async () => {
    const capacity = new Capacity({
      maxSandboxes: 1,
      whenFull: { action: 'reject' },
      makeRoom: nothing,
    });
    await capacity.acquire(signal);
    await expect(capacity.acquire(signal)).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
  });

  it('asks for room before anybody waits, also where nobody shall wait', async () => {
    let spare: Permit | undefined;
    const capacity = new Capacity({
      maxSandboxes: 1,
      whenFull: { action: 'reject' },
      makeRoom: () => {
        if (spare === undefined) return false;
        spare.release();
        spare = undefined;
        return true;
      },
    });
    spare = capacity.tryAcquire();
    expect(await capacity.acquire(signal)).toBeDefined();
    await expect(capacity.acquire(signal)).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
  });

  it('closes one session for a caller whom the provider refused, however long that takes', async () => {
    vi.useFakeTimers();
    let closed = 0;
    const capacity = new Capacity({
      whenFull: { action: 'evict' },
      makeRoom: () => (closed += 1) > 0,
    });
    const old = await capacity.acquire(signal);
    (await capacity.acquire(signal)).refuse(new PtcError('SANDBOX_LIMIT', 'No room.'));
    let got: Permit | undefined;
    const waiting = capacity.acquire(signal).then((permit) => (got = permit));
    await vi.advanceTimersByTimeAsync(10_000);
    expect([closed, got]).toEqual([1, undefined]);
    old.release();
    expect(await waiting).toBeDefined();
    expect(closed).toBe(1);
  });

  it('asks again for room when there may be some, once for each who waits', async () => {
    let dispensable = 0;
    const asked = vi.fn<() => boolean>(() => dispensable-- > 0);
    const capacity = new Capacity({ maxSandboxes: 2, makeRoom: asked });
    const held = [await capacity.acquire(signal), await capacity.acquire(signal)];
    const waiting = capacity.acquire(signal);
    expect(asked).toHaveBeenCalledTimes(1);
    dispensable = 5;
    capacity.reconsider();
    capacity.reconsider();
    expect(asked).toHaveBeenCalledTimes(2);
    held[0]?.release();
    expect(await waiting).toBeDefined();
    capacity.reconsider();
    expect(asked).toHaveBeenCalledTimes(2);
  });
});

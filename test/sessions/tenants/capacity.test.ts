import { describe, expect, it, vi } from 'vitest';
import {
  Capacity,
  type CapacityOptions,
  type Permit,
} from '../../../src/sessions/supply/capacity.ts';

const { signal } = new AbortController();
const QUOTA = { label: 'tenant', sandboxes: 2 };

function capacityOf(options: Partial<CapacityOptions>): Capacity {
  return new Capacity({ makeRoom: () => false, ...options });
}

/** Asks for permits of tenants, and returns who was served, in order. */
function ask(
  capacity: Capacity,
  ...names: readonly string[]
): { served: string[]; all: Promise<Permit>[] } {
  const served: string[] = [];
  const all = names.map(async (name) => {
    const permit = await capacity.acquire(signal, name[0]);
    served.push(name);
    return permit;
  });
  return { served, all };
}

describe('the capacity for sandboxes of tenants', () => {
  it('gives each tenant its turn', async () => {
    const capacity = capacityOf({ maxSandboxes: 1 });
    let permit = await capacity.acquire(signal, 'a');
    const { served, all } = ask(capacity, 'a1', 'a2', 'a3', 'b1', 'b2');
    const order = [all[0], all[3], all[1], all[4], all[2]];
    for (const next of order) {
      permit.release();
      permit = (await next) as Permit;
    }
    expect(served).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('lets a tenant that reached its quota wait, and nobody else', async () => {
    const capacity = capacityOf({ maxSandboxes: 4, quota: QUOTA });
    const [first] = [await capacity.acquire(signal, 'a'), await capacity.acquire(signal, 'a')];
    const { served, all } = ask(capacity, 'a3', 'b1');
    await all[1];
    expect(served).toEqual(['b1']);
    expect(capacity.waiting).toBe(1);
    // The pool does not wait for it either.
    expect(capacity.tryAcquire()).toBeDefined();
    first.release();
    await all[0];
    expect(served).toEqual(['b1', 'a3']);
  });

  it('counts callers without the label as a tenant', async () => {
    const capacity = capacityOf({ quota: QUOTA, whenFull: { action: 'reject' } });
    await capacity.acquire(signal);
    await capacity.acquire(signal);
    await expect(capacity.acquire(signal)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/^The tenant without the label tenant .*quotas\.sandboxes/),
      details: { label: 'tenant', tenant: undefined, quota: 'sandboxes', limit: 2 },
    });
    expect(await capacity.acquire(signal, 'a')).toBeDefined();
  });

  it('says after the time limit whether the quota was reached or all sandboxes were in use', async () => {
    const whenFull = { action: 'wait', timeoutMs: 1 } as const;
    const capacity = capacityOf({ maxSandboxes: 3, quota: QUOTA, whenFull });
    for (const tenant of ['a', 'a', 'b']) await capacity.acquire(signal, tenant);
    await expect(capacity.acquire(signal, 'a')).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringContaining('"a" (label tenant)'),
    });
    await expect(capacity.acquire(signal, 'b')).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
  });

  it('counts a sandbox of the pool for its tenant from the moment that it has it', async () => {
    const capacity = capacityOf({ quota: { label: 'tenant', sandboxes: 1 } });
    const permit = capacity.tryAcquire();
    expect(capacity.isWithinQuota('a')).toBe(true);
    permit?.giveTo('a');
    expect(capacity.isWithinQuota('a')).toBe(false);
    permit?.release();
    expect(capacity.isWithinQuota('a')).toBe(true);
    permit?.giveTo('a');
    expect(capacity.isWithinQuota('a')).toBe(true);
  });

  it('makes room for a tenant at its quota among its own sandboxes only', async () => {
    const makeRoom = vi.fn<CapacityOptions['makeRoom']>(() => true);
    const capacity = capacityOf({ maxSandboxes: 4, quota: QUOTA, makeRoom });
    const held = [await capacity.acquire(signal, 'a'), await capacity.acquire(signal, 'a')];
    const waiting = capacity.acquire(signal, 'a');
    capacity.reconsider();
    expect(makeRoom.mock.calls).toEqual([[{ tenant: 'a', has: 2, onlyOwn: true }]]);
    held[0]?.release();
    await waiting;
    for (const tenant of ['b', 'c']) await capacity.acquire(signal, tenant);
    const other = capacity.acquire(signal, 'd');
    expect(makeRoom.mock.calls.slice(1)).toEqual([[{ tenant: 'd', has: 0, onlyOwn: false }]]);
    held[1]?.release();
    await other;
  });

  it('asks for no more room than callers can use within their quotas', async () => {
    const makeRoom = vi.fn<CapacityOptions['makeRoom']>(() => false);
    const capacity = capacityOf({ maxSandboxes: 2, quota: QUOTA, makeRoom });
    for (const tenant of ['a', 'b']) await capacity.acquire(signal, tenant);
    const caller = new AbortController();
    const waiting = [2, 3, 4].map(async () => capacity.acquire(caller.signal, 'a'));
    makeRoom.mockReturnValue(true);
    makeRoom.mockClear();
    capacity.reconsider();
    expect(makeRoom).toHaveBeenCalledTimes(1);
    caller.abort();
    expect(await Promise.allSettled(waiting)).toHaveLength(3);
  });

  it('counts the room that is being made for a tenant as if it had it', async () => {
    const makeRoom = vi.fn<CapacityOptions['makeRoom']>(() => true);
    const capacity = capacityOf({ maxSandboxes: 1, makeRoom });
    const permit = await capacity.acquire(signal, 'a');
    const { all } = ask(capacity, 'b1', 'b2', 'c1');
    expect(makeRoom.mock.calls.map(([{ tenant, has }]) => [tenant, has])).toEqual([
      ['b', 0],
      ['b', 1],
      ['c', 0],
    ]);
    permit.release();
    for (const next of [all[0], all[2], all[1]]) (await next)?.release();
  });

  it('makes room for another tenant that waits if none can be made for the first', async () => {
    const makeRoom = vi.fn<CapacityOptions['makeRoom']>(() => false);
    const capacity = capacityOf({ maxSandboxes: 1, makeRoom });
    const permit = await capacity.acquire(signal, 'a');
    const { served, all } = ask(capacity, 'a1', 'b1');
    makeRoom.mockImplementation(({ tenant }) => tenant === 'b');
    makeRoom.mockClear();
    capacity.reconsider();
    expect(makeRoom.mock.calls.map(([{ tenant }]) => tenant)).toEqual(['a', 'b', 'a']);
    // The room is for the tenant for which it was made.
    permit.release();
    for (const next of [all[1], all[0]]) (await next)?.release();
    expect(served).toEqual(['b1', 'a1']);
  });

  it('makes room once for a caller that gave up and the next one', async () => {
    const makeRoom = vi.fn<CapacityOptions['makeRoom']>(() => true);
    const capacity = capacityOf({ maxSandboxes: 1, makeRoom });
    const permit = await capacity.acquire(signal, 'a');
    const caller = new AbortController();
    const aborted = capacity.acquire(caller.signal, 'b');
    caller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const next = capacity.acquire(signal, 'b');
    expect(makeRoom).toHaveBeenCalledTimes(1);
    permit.release();
    (await next).release();
  });
});

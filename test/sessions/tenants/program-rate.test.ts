import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProgramPlaces } from '../../../src/sessions/tenants/program-places.ts';
import { ProgramRate } from '../../../src/sessions/tenants/program-rate.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('programs a minute', () => {
  it('are as many as the quota within any 60 seconds, and it is known when the next may begin', () => {
    const rate = new ProgramRate(2);
    expect(rate.begin('a')).toBeUndefined();
    vi.advanceTimersByTime(20_000);
    expect(rate.begin('a')).toBeUndefined();
    expect(rate.begin('a')).toBe(40_000);
    vi.advanceTimersByTime(39_999);
    expect(rate.begin('a')).toBe(1);
    vi.advanceTimersByTime(1);
    expect(rate.begin('a')).toBeUndefined();
    expect(rate.begin('a')).toBe(20_000);
  });

  it('are counted for each tenant, and those without the label together', () => {
    const rate = new ProgramRate(1);
    for (const tenant of ['a', 'b', undefined]) expect(rate.begin(tenant)).toBeUndefined();
    for (const tenant of ['a', 'b', undefined]) expect(rate.begin(tenant)).toBe(60_000);
  });

  it('are not remembered of tenants that were idle for a minute [host/idle-tenants]', () => {
    const rate = new ProgramRate(2);
    for (let count = 0; count < 1000; count += 1) rate.begin(`tenant ${count}`);
    vi.advanceTimersByTime(30_000);
    rate.begin('tenant 0');
    expect(rate.size).toBe(1000);
    vi.advanceTimersByTime(30_000);
    rate.begin('another');
    expect(rate.size).toBe(2);
  });
});

describe('programs at a time', () => {
  it('are as many as the quota for each tenant, and no tenant is remembered that has none [host/idle-tenants]', async () => {
    const { signal } = new AbortController();
    const places = new ProgramPlaces(1);
    const [first, second, other] = [places.of('a'), places.of('a'), places.of('b')];
    expect(first.take(signal)).toBeUndefined();
    const turn = second.take(signal);
    expect(other.take(signal)).toBeUndefined();
    expect(places.size).toBe(2);
    other.release();
    expect(places.size).toBe(1);
    first.release();
    expect(await turn).toBe(true);
    expect(places.size).toBe(1);
    second.release();
    expect(places.size).toBe(0);
  });
});

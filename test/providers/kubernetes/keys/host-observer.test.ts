import { expect, it } from 'vitest';
import { HostObserver } from '../../../../src/providers/kubernetes/keys/host-observer.ts';

const STALE_MS = 15_000;

it('a host is dead if its Lease was seen unchanged for long enough, or absent', () => {
  let now = 0;
  const observer = new HostObserver(STALE_MS, () => now);
  expect(observer.isDead('a', '1')).toBe(false);
  expect(observer.isDead('b', undefined)).toBe(false);
  now = STALE_MS - 1;
  expect([observer.isDead('a', '1'), observer.isDead('b', undefined)]).toEqual([false, false]);
  now = STALE_MS;
  expect([observer.isDead('a', '1'), observer.isDead('b', undefined)]).toEqual([true, true]);
});

it('a host that renewed its Lease is alive, however long nobody looked', () => {
  let now = 0;
  const observer = new HostObserver(STALE_MS, () => now);
  expect(observer.isDead('a', '1')).toBe(false);
  now = 10 * STALE_MS;
  expect(observer.isDead('a', '2')).toBe(false);
  now += STALE_MS;
  expect(observer.isDead('a', '2')).toBe(true);
});

it('the time counts anew after each loss of the API server', () => {
  let now = 0;
  const observer = new HostObserver(STALE_MS, () => now);
  expect(observer.isDead('a', '1')).toBe(false);
  now = STALE_MS - 1;
  observer.lost();
  now = STALE_MS;
  expect(observer.isDead('a', '1')).toBe(false);
  now = 2 * STALE_MS - 1;
  expect(observer.isDead('a', '1')).toBe(true);
});

it('knows each of many hosts, in whatever order it looks at them', () => {
  let now = 0;
  const observer = new HostObserver(STALE_MS, () => now);
  const hosts = Array.from({ length: 5000 }, (_, host) => String(host));
  const dead = (): number => hosts.filter((host) => observer.isDead(host, '1')).length;
  expect(dead()).toBe(0);
  now = STALE_MS;
  expect(dead()).toBe(5000);
});

it('forgets hosts that nobody looks at for ten minutes', () => {
  let now = 0;
  const observer = new HostObserver(STALE_MS, () => now);
  expect([observer.isDead('a', '1'), observer.isDead('b', '1')]).toEqual([false, false]);
  now = 5 * 60_000;
  expect(observer.isDead('b', '1')).toBe(true);
  now = 10 * 60_000;
  expect(observer.isDead('c', '1')).toBe(false);
  expect([observer.isDead('a', '1'), observer.isDead('b', '1')]).toEqual([false, true]);
});

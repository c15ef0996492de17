import { expect, test } from 'vitest';
import { overloadRemedy, requestedWaitMs } from '../../src/models/retry-after.ts';

test.each([
  [{}, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': '2592000' }, 2_592_000_000],
  [{ 'retry-after-ms': '5', 'retry-after': '60' }, 5],
  [{ 'retry-after-ms': 'x', 'retry-after': '60' }, 60_000],
  [{ 'retry-after-ms': '0', 'retry-after': '60' }, 60_000],
  [{ 'retry-after-ms': '0', 'retry-after': 'soon' }, 0],
  [{ 'retry-after-ms': '0' }, 0],
  [{ 'retry-after-ms': '-5', 'retry-after': '60' }, 0],
  [{ 'retry-after': '-5' }, 0],
  [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
] as [Record<string, string>, number | undefined][])('%j asks to wait %s ms', (headers, waitMs) => {
  expect(requestedWaitMs(new Headers(headers))).toBe(waitMs);
});

test('a date asks to wait until then', () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
  const waitMs = requestedWaitMs(new Headers({ 'retry-after': inAnHour }));
  expect(waitMs).toBeGreaterThan(3_590_000);
  expect(waitMs).toBeLessThanOrEqual(3_600_000);
});

test('an error without headers asks for nothing', () => {
  expect([undefined, null, {}].map(requestedWaitMs)).toEqual([undefined, undefined, undefined]);
});

test('a request with a wait of more than a minute fails with the length of the wait', () => {
  expect(overloadRemedy(60_000)).toContain('maxRetries');
  expect(overloadRemedy(60_001)).toContain('in 61 s');
});

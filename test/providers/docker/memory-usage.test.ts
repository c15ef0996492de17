import { expect, test } from 'vitest';
import { memoryInUse } from '../../../src/providers/docker/container/memory-usage.ts';

test('files that are only kept in memory do not count, with either version of control groups', () => {
  expect(memoryInUse({ usage: 100, stats: { inactive_file: 30 } })).toBe(70);
  expect(memoryInUse({ usage: 100, stats: { total_inactive_file: 40, inactive_file: 30 } })).toBe(
    60,
  );
});

test('everything counts if the engine does not report files, or reports more than there is', () => {
  expect(memoryInUse({ usage: 100 })).toBe(100);
  expect(memoryInUse({ usage: 100, stats: { inactive_file: 300 } })).toBe(100);
});

test('without counters of the engine the memory is unknown', () => {
  expect(memoryInUse({})).toBeUndefined();
  expect(memoryInUse(undefined)).toBeUndefined();
});

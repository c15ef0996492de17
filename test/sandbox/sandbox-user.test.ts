import { expect, test } from 'vitest';
import { freeUserIds, hasSandboxUsers, userIdOfSlot } from '../../src/sandbox/sandbox-user.ts';

test.each([
  ['a machine', '         0          0 4294967295\n', true],
  ['a rootless container', '0 1000 1\n1 100000 65536\n', true],
  ['a namespace of one user', '0 1000 1\n', false],
  ['a namespace of few users', '0 1000 1\n1 100000 30000\n', false],
  ['a system that does not say', '', false],
])('%s has the users of sandboxes or has them not', (_, map, expected) => {
  expect(hasSandboxUsers(map)).toBe(expected);
});

test('as many sandboxes in a row as there are ids have different users, none of them a user of the system [bubblewrap/user]', () => {
  const free = freeUserIds(['root:x:0:0:root:/root:/bin/sh\n'], ['']);
  const ids = new Set(
    Array.from({ length: 40_000 }, (_item, slot) => userIdOfSlot(slot + 123_456, free)),
  );
  expect(ids.size).toBe(40_000);
  expect(Math.min(...ids)).toBe(20_000);
  expect(Math.max(...ids)).toBe(59_999);
});

test('no sandbox has the id of an account or a group of the machine, or one of a subordinate range', () => {
  const passwd = '# people\nann:x:20005:20006:Ann:/home/ann:/bin/sh\n+::::::\n';
  const group = 'staff:x:20007:ann\n';
  const ids = [...freeUserIds([passwd, group], ['ann:30000:1000\n', 'ann:59990:65536\n'])];
  expect(ids).toHaveLength(40_000 - 3 - 1000 - 10);
  for (const taken of [20_005, 20_006, 20_007, 30_000, 30_999, 59_990, 59_999]) {
    expect(ids).not.toContain(taken);
  }
  for (const free of [20_000, 20_004, 20_008, 29_999, 31_000, 59_989]) expect(ids).toContain(free);
});

test('sandboxes have ids even if the ranges of the machine contain all of them', () => {
  expect(freeUserIds([], ['ann:10000:65536\n'])).toHaveLength(40_000);
});

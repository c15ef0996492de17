import { expect, test } from 'vitest';
import { hasSandboxUsers } from '../../src/sandbox/sandbox-user.ts';

test.each([
  ['a machine', '         0          0 4294967295\n', true],
  ['a rootless container', '0 1000 1\n1 100000 65536\n', true],
  ['a namespace of one user', '0 1000 1\n', false],
  ['a namespace of few users', '0 1000 1\n1 100000 30000\n', false],
  ['a system that does not say', '', false],
])('%s has the users of sandboxes or has them not', (_, map, expected) => {
  expect(hasSandboxUsers(map)).toBe(expected);
});

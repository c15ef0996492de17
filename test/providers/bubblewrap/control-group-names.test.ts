import { expect, test } from 'vitest';
import {
  delegationOf,
  groupName,
  ownerOfGroup,
  parseOwnGroups,
  startTimeOf,
} from '../../../src/providers/bubblewrap/control-groups/names.ts';

test('a group names its owner', () => {
  const owner = { namespace: '4026531836', processId: 42, startTime: '1234' };
  expect(ownerOfGroup(groupName(owner, '0a1b'))).toEqual(owner);
});

test.each(['sandboxed-ptc-host', 'docker', 'sandboxed-ptc-1-2-3-', 'x-sandboxed-ptc-1-2-3-ab'])(
  'a group called %s is none of a sandbox',
  (name) => {
    expect(ownerOfGroup(name)).toBeUndefined();
  },
);

test('the start of a process is read whatever its name is', () => {
  const fields = Array.from({ length: 30 }, (_, index) => index + 3);
  expect(startTimeOf(`7 (a) b (c) ${fields.join(' ')}`)).toBe('22');
  expect(startTimeOf('')).toBeUndefined();
});

test('the groups of a process are read by controller', () => {
  const groups = parseOwnGroups('4:memory:/a\n1:cpu,cpuacct:/b:c\n9:name=systemd:/d\n0::/e\n');
  expect(Object.fromEntries(groups)).toEqual({
    ...{ memory: '/a', cpu: '/b:c', cpuacct: '/b:c', 'name=systemd': '/d' },
    '': '/e',
  });
});

const SESSION = '/user.slice/user-1000.slice/session-3.scope';
const MANAGER = '/user.slice/user-1000.slice/user@1000.service';

test.each([
  ['/', '/', undefined],
  ['/docker/0123', '/docker/0123', undefined],
  // It moved there earlier.
  ['/sandboxed-ptc-host', '/', undefined],
  ['/docker/0123/sandboxed-ptc-host', '/docker/0123', undefined],
  ['/system.slice/app.service', '/system.slice/app.service', ['app.service', false]],
  ['/system.slice/app.service/host', '/system.slice/app.service', ['app.service', false]],
  [SESSION, SESSION, ['session-3.scope', false]],
  [`${MANAGER}/app.slice/run-1.scope`, `${MANAGER}/app.slice/run-1.scope`, ['run-1.scope', true]],
  [MANAGER, MANAGER, ['user@1000.service', false]],
] as const)('in %s groups are made below %s', (own, path, unit) => {
  const expected = unit && { name: unit[0], ofUser: unit[1] };
  expect(delegationOf(own)).toEqual({ path, unit: expected });
});

import { expect, test } from 'vitest';
import { seccompProfile } from '../../../src/providers/docker/security/seccomp-profile.ts';
import { ALLOWED_SYSTEM_CALLS } from '../../../src/sandbox/seccomp/system-calls.ts';

test('what is on the list is allowed, and what is on no list is refused [docker/system-calls]', () => {
  const { defaultAction, syscalls } = seccompProfile();
  expect(defaultAction).toBe('SCMP_ACT_ERRNO');
  expect(syscalls[0]).toEqual({
    names: ALLOWED_SYSTEM_CALLS.flatMap((group) => group.names),
    action: 'SCMP_ACT_ALLOW',
  });
});

test('processes can be made, but no namespaces with them', () => {
  const flags = {
    CLONE_NEWNS: 0x0002_0000,
    CLONE_NEWCGROUP: 0x0200_0000,
    CLONE_NEWUTS: 0x0400_0000,
    CLONE_NEWIPC: 0x0800_0000,
    CLONE_NEWUSER: 0x1000_0000,
    CLONE_NEWPID: 0x2000_0000,
    CLONE_NEWNET: 0x4000_0000,
  };
  const rule = seccompProfile().syscalls.find(({ names }) => names.includes('clone'));
  const [argument] = rule?.args ?? [];
  expect(argument).toMatchObject({ index: 0, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' });
  for (const flag of Object.values(flags)) expect((argument?.value ?? 0) & flag).not.toBe(0);
});

test.each(['socket', 'socketpair'])('%s makes only local sockets', (name) => {
  const rule = seccompProfile().syscalls.find(({ names }) => names.includes(name));
  expect(rule).toMatchObject({
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: 1, op: 'SCMP_CMP_EQ' }],
  });
});

test('a descriptor takes only commands of the list, of which the kernel reads 32 bits', () => {
  const rules = seccompProfile().syscalls.filter(({ names }) => names.includes('ioctl'));
  expect(rules).toContainEqual({
    names: ['ioctl'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 1, value: 0xffff_ffff, valueTwo: 0x5401, op: 'SCMP_CMP_MASKED_EQ' }],
  });
  for (const { args } of rules) expect(args).toHaveLength(1);
});

test('the call whose flags no filter can see is said not to be there', () => {
  const rule = seccompProfile().syscalls.find(({ names }) => names.includes('clone3'));
  expect(rule).toEqual({ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 });
});

test('a process can change each limit of its own but that of core dumps, which it can only read [docker/core-dumps]', () => {
  const rules = seccompProfile().syscalls.filter(({ names }) => names.includes('prlimit64'));
  const conditions = rules.map(({ action, args = [] }) => {
    expect(action).toBe('SCMP_ACT_ALLOW');
    return args.map(({ index, value, op }) => `${index} ${op} ${value}`);
  });
  const itself = '0 SCMP_CMP_EQ 0';
  expect(conditions).toContainEqual([itself, '2 SCMP_CMP_EQ 0']);
  expect(conditions).toContainEqual([itself, '1 SCMP_CMP_EQ 7']);
  expect(conditions).not.toContainEqual([itself, '1 SCMP_CMP_EQ 4']);
  for (const condition of conditions) {
    expect(condition).toHaveLength(2);
    expect(condition[0]).toBe(itself);
  }
});

test.each([
  ['madvise', 2, 4, [12]],
  ['prctl', 0, 15, [62, 67]],
])(
  '%s has no command that reaches other processes [docker/merging]',
  (name, index, allowed, refused) => {
    const rules = seccompProfile().syscalls.filter(({ names }) => names.includes(name));
    const commands = rules.map(({ args }) => {
      expect(args).toMatchObject([{ index, value: 0xffff_ffff, op: 'SCMP_CMP_MASKED_EQ' }]);
      return args?.[0]?.valueTwo;
    });
    expect(commands).toContain(allowed);
    for (const command of refused) expect(commands).not.toContain(command);
  },
);

test.each([
  ['sched_setscheduler', [0]],
  ['setpriority', [0, 0]],
])('%s is for a process itself only', (name, values) => {
  const rules = seccompProfile().syscalls.filter(({ names }) => names.includes(name));
  expect(rules).toEqual([
    {
      names: [name],
      action: 'SCMP_ACT_ALLOW',
      args: values.map((value, index) => ({ index, value, op: 'SCMP_CMP_EQ' })),
    },
  ]);
});

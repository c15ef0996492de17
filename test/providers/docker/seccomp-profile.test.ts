import { expect, test } from 'vitest';
import {
  ALLOWED_SYSTEM_CALLS,
  seccompProfile,
} from '../../../src/providers/docker/seccomp-profile.ts';

const allowed = ALLOWED_SYSTEM_CALLS.flatMap((group) => group.names);

test('the allowed system calls are the reviewed ones', async () => {
  const groups = ALLOWED_SYSTEM_CALLS.map(
    ({ reason, names }) => `# ${reason}\n${names.join('\n')}\n`,
  );
  await expect(groups.join('\n')).toMatchFileSnapshot('seccomp-allowed.txt');
});

test('no system call is listed twice', () => {
  expect(new Set(allowed).size).toBe(allowed.length);
});

test.each([
  'ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd',
  'io_uring_setup io_uring_enter io_uring_register',
  'mount umount2 pivot_root chroot fsopen open_tree move_mount mknod mknodat',
  'setns unshare clone3 personality modify_ldt',
  'bpf perf_event_open userfaultfd memfd_secret vmsplice',
  'keyctl add_key request_key',
  'setuid setgid setreuid setresuid setgroups chown fchown lchown fchownat',
  'bind listen accept accept4 connect',
  'shmget shmat semget msgget mq_open',
  'init_module finit_module kexec_load reboot swapon open_by_handle_at',
  'clock_settime settimeofday adjtimex',
])('%s are refused', (names) => {
  for (const name of names.split(' ')) expect(allowed).not.toContain(name);
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

test('sockets are local ones', () => {
  const rule = seccompProfile().syscalls.find(({ names }) => names.includes('socket'));
  expect(rule).toMatchObject({
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: 1, op: 'SCMP_CMP_EQ' }],
  });
});

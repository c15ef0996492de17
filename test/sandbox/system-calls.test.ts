import { expect, test } from 'vitest';
import {
  ALLOWED_SYSTEM_CALLS,
  CONDITIONAL_SYSTEM_CALLS,
} from '../../src/sandbox/seccomp/system-calls.ts';

const allowed = ALLOWED_SYSTEM_CALLS.flatMap((group) => group.names);

test('the allowed system calls are the reviewed ones [docker/system-calls]', async () => {
  const groups = ALLOWED_SYSTEM_CALLS.map(
    ({ reason, betweenSandboxes, names }) =>
      `# ${reason}\n# Between sandboxes: ${betweenSandboxes}\n${names.join('\n')}\n`,
  );
  const conditions = CONDITIONAL_SYSTEM_CALLS.map(
    ({ reason, ...condition }) => `# ${reason}\n${JSON.stringify(condition)}\n`,
  );
  await expect([...groups, ...conditions].join('\n')).toMatchFileSnapshot(
    'system-calls-allowed.txt',
  );
});

test('no system call is listed twice', () => {
  const all = [...allowed, ...CONDITIONAL_SYSTEM_CALLS.map(({ name }) => name)];
  expect(new Set(all).size).toBe(all.length);
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

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { assemble } from '../../src/sandbox/seccomp/bpf.ts';
import { hasSeccompProgram, seccompProgram } from '../../src/sandbox/seccomp/seccomp-program.ts';
import { ARM_64_NUMBERS, X86_64_NUMBERS } from '../../src/sandbox/seccomp/system-call-numbers.ts';
import {
  ALLOWED_SYSTEM_CALLS,
  CONDITIONAL_SYSTEM_CALLS,
} from '../../src/sandbox/seccomp/system-calls.ts';
import { decide } from './bpf-interpreter.ts';

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const EPERM = 0x0005_0001;
const EINVAL = 0x0005_0016;
const ENOSYS = 0x0005_0026;
const ENOTTY = 0x0005_0019;

const ARCHITECTURES = {
  x64: { id: 0xc000_003e, numbers: X86_64_NUMBERS },
  arm64: { id: 0xc000_00b7, numbers: ARM_64_NUMBERS },
} as const;

const allowed = ALLOWED_SYSTEM_CALLS.flatMap(({ names }) => names);

test('every system call on the list has its number on x86-64', () => {
  const conditional = CONDITIONAL_SYSTEM_CALLS.map(({ name }) => name);
  const missing = [...allowed, ...conditional].filter((name) => !X86_64_NUMBERS.has(name));
  expect(missing, 'run scripts/system-call-numbers.mjs').toEqual([]);
});

test('there is no filter for an architecture whose numbers are not known', () => {
  expect(hasSeccompProgram('riscv64')).toBe(false);
  expect(() => seccompProgram('riscv64', [])).toThrow(RangeError);
});

describe.each(['x64', 'arm64'] as const)('the filter for %s', (architecture) => {
  const { id, numbers } = ARCHITECTURES[architecture];
  const program = seccompProgram(architecture, []);

  function ask(name: string, ...values: bigint[]): number {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`There is no ${name}.`);
    return decide(program, { number, architecture: id, values });
  }

  test('allows what is on the list and refuses every other number [case 17, bubblewrap/system-calls]', () => {
    const known = new Map([...numbers].map(([name, number]) => [number, name]));
    for (let number = 0; number < 600; number += 1) {
      const name = known.get(number);
      if (name !== undefined && !allowed.includes(name)) continue;
      const decision = decide(program, { number, architecture: id, values: [] });
      expect({ number, name, decision }).toEqual({
        number,
        name,
        decision: name === undefined ? EPERM : ALLOW,
      });
    }
  });

  test('refuses a call of the list if its provider asks for that', () => {
    const number = numbers.get('memfd_create') ?? -1;
    const stricter = seccompProgram(architecture, [{ name: 'memfd_create', reason: '' }]);
    expect(decide(stricter, { number, architecture: id, values: [] })).toBe(EPERM);
    expect(decide(program, { number, architecture: id, values: [] })).toBe(ALLOW);
  });

  test('refuses a call of the list by some bits of an argument, and allows it otherwise', () => {
    const onlyIf = { argument: 3, mask: 0x21, value: 0x21 };
    const failsWith = 38;
    const stricter = seccompProgram(architecture, [
      { name: 'mmap', reason: '', failsWith, onlyIf },
      { name: 'clone', reason: '', onlyIf: { argument: 0, mask: 0x1_0400, value: 0x1_0000 } },
    ]);
    const decideOn = (name: string, ...values: bigint[]): number =>
      decide(stricter, { number: numbers.get(name) ?? -1, architecture: id, values });
    for (const flags of [0x21n, 0x31n, 0x23n, 0x4021n, 0x1_0000_0021n]) {
      expect(decideOn('mmap', 0n, 4096n, 3n, flags)).toBe(ENOSYS);
    }
    for (const flags of [0x22n, 0x1n, 0x20n, 0x4022n]) {
      expect(decideOn('mmap', 0n, 4096n, 3n, flags)).toBe(ALLOW);
    }
    expect(decideOn('clone', 0x1_0f00n)).toBe(ALLOW);
    expect(decideOn('clone', 0x1_0b00n)).toBe(EPERM);
    // Its other conditions hold on.
    expect(decideOn('clone', 0x11n)).toBe(ALLOW);
    expect(decideOn('clone', 0x1000_0011n)).toBe(EPERM);
    expect(decideOn('read', 0n)).toBe(ALLOW);
  });

  test('lets processes and threads be made, and no namespaces', () => {
    expect(ask('clone', 0x11n)).toBe(ALLOW);
    expect(ask('clone', 0x3d_0f00n)).toBe(ALLOW);
    for (const flag of [0x1000_0000n, 0x2_0000n, 0x2000_0000n, 0x4000_0000n, 0x0200_0000n]) {
      expect(ask('clone', 0x11n | flag)).toBe(EPERM);
    }
    expect(ask('clone3', 0n)).toBe(ENOSYS);
  });

  test('lets local sockets be made, and no others', () => {
    for (const name of ['socket', 'socketpair']) {
      expect(ask(name, 1n, 1n)).toBe(ALLOW);
      for (const family of [2n, 10n, 16n, 17n, 38n, 40n, 0x1_0000_0001n]) {
        expect(ask(name, family, 1n)).toBe(EPERM);
      }
    }
  });

  test('lets a program ask about terminals and descriptors, and nothing of file systems', () => {
    for (const command of [0x5401n, 0x802c_542an, 0x541bn, 0xffff_ffff_802c_542an]) {
      expect(ask('ioctl', 0n, command)).toBe(ALLOW);
    }
    // What others have read, marks that others see, namespaces, typing into a terminal.
    for (const command of [0xc020_662an, 0x4004_6629n, 0x6612n, 0xb701n, 0x5412n, 0n]) {
      expect(ask('ioctl', 0n, command)).toBe(ENOTTY);
    }
  });

  test('lets a process change what is its own, and nothing of another', () => {
    for (const name of ['prlimit64', 'sched_setscheduler']) {
      expect(ask(name, 0n, 7n)).toBe(ALLOW);
      expect(ask(name, 1n, 7n)).toBe(EPERM);
      expect(ask(name, 0x1_0000_0000n)).toBe(EPERM);
    }
    expect(ask('setpriority', 0n, 0n, 5n)).toBe(ALLOW);
    expect(ask('setpriority', 0n, 1n, 5n)).toBe(EPERM);
    expect(ask('setpriority', 2n, 0n, 5n)).toBe(EPERM);
  });

  test('lets a process change its limits, but only read that of core dumps', () => {
    const [limit, nothing] = [0x7ffc_0000_1000n, 0n];
    for (const resource of [0n, 3n, 5n, 7n, 15n]) {
      expect(ask('prlimit64', 0n, resource, limit)).toBe(ALLOW);
    }
    expect(ask('prlimit64', 0n, 4n, nothing, limit)).toBe(ALLOW);
    for (const core of [4n, 0x1_0000_0004n]) {
      expect(ask('prlimit64', 0n, core, limit)).toBe(EPERM);
      expect(ask('prlimit64', 0n, core, 0x1_0000_0000n)).toBe(EPERM);
    }
    expect(ask('prlimit64', 1n, 7n, nothing)).toBe(EPERM);
  });

  test('lets no memory be merged with that of others, and no core be taken from them', () => {
    for (const advice of [0n, 4n, 8n, 14n, 21n, 102n]) {
      expect(ask('madvise', 0n, 4096n, advice)).toBe(ALLOW);
    }
    for (const setting of [1n, 4n, 15n, 22n, 38n, 78n, 0x5356_4d41n]) {
      expect(ask('prctl', setting)).toBe(ALLOW);
    }
    for (const bits of [0n, 0x1_0000_0000n]) {
      expect(ask('madvise', 0n, 4096n, bits | 12n)).toBe(EINVAL);
      expect(ask('prctl', bits | 67n)).toBe(EINVAL);
      expect(ask('prctl', bits | 62n)).toBe(EINVAL);
    }
  });

  test('ends what calls by the numbers of another architecture, and refuses those of x32', () => {
    const i386 = 0x4000_0003;
    expect(decide(program, { number: 1, architecture: i386, values: [] })).toBe(KILL);
    const write = (numbers.get('write') ?? 0) | 0x4000_0000;
    expect(decide(program, { number: write, architecture: id, values: [] })).toBe(EPERM);
  });
});

const TRIAL = `
import ctypes, errno, os, socket, sys
program = bytes.fromhex(sys.argv[1])
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
buffer = ctypes.create_string_buffer(program, len(program))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
filter = Program(len(program) // 8, ctypes.addressof(buffer))
assert libc.prctl(22, 2, ctypes.byref(filter), 0, 0) == 0, ctypes.get_errno()
def attempt(action):
    try:
        action()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
def call(*values):
    result = libc.syscall(*(ctypes.c_long(value) for value in values))
    return "done" if result != -1 else errno.errorcode[ctypes.get_errno()]
print(attempt(lambda: socket.socket(socket.AF_INET)))
print(attempt(lambda: socket.socket(socket.AF_UNIX).close()))
print(call(435, 0, 0))
print(attempt(lambda: os.waitpid(os.fork() or os._exit(0), 0)))
print(attempt(lambda: os.chroot("/")))
print(attempt(lambda: os.sched_setscheduler(os.getppid(), 0, os.sched_param(0))))
`;
import { NO_LINUX, skippedFor } from '../support/skipped.ts';

test(
  'the kernel accepts the filter and applies it [case 17, bubblewrap/system-calls]',
  skippedFor(NO_LINUX),
  async () => {
    const program = assemble(seccompProgram(process.arch, [])).toString('hex');
    const { stdout } = await promisify(execFile)('python3', ['-c', TRIAL, program]);
    expect(stdout).toBe('EPERM\ndone\nENOSYS\ndone\nEPERM\nEPERM\n');
  },
);

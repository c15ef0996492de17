import { describe, expect, test } from 'vitest';
import {
  bwrapCommand,
  FILTER_DESCRIPTOR,
  temporaryFileSystem,
} from '../../../src/providers/bubblewrap/start/bwrap-arguments.ts';
import { isAtLeast, type Machine } from '../../../src/providers/bubblewrap/check/machine.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

const MACHINE: Machine = {
  directories: ['/usr'],
  links: [{ path: '/bin', target: 'usr/bin' }],
  configuration: ['/etc/ld.so.cache'],
  readOnly: ['/proc/sys', '/proc/sysrq-trigger'],
  masked: { files: ['/proc/kallsyms'], directories: ['/proc/acpi'] },
  disablesUserNamespaces: true,
};

function commandFor(
  machine: Partial<Machine> = {},
  limits = DEFAULT_LIMITS,
  bounded = true,
): string[] {
  const options = { limits, userId: 20_007, bounded, command: ['python3', '-c', 'program'] };
  return [...bwrapCommand({ ...MACHINE, ...machine }, options)];
}

/** The arguments that follow an option, once for each time that it is there. */
function valuesOf(option: string, count: number, command = commandFor()): string[][] {
  return command.flatMap((argument, index) =>
    argument === option ? [command.slice(index + 1, index + 1 + count)] : [],
  );
}

describe('the command of a sandbox', () => {
  test('reads each file on its own descriptor, before the root becomes read-only', () => {
    const options = { limits: DEFAULT_LIMITS, userId: 20_007, bounded: true, command: ['true'] };
    const files = [
      { path: '/opt/a', isProgram: false },
      { path: '/opt/b', isProgram: true },
    ];
    const command = [...bwrapCommand(MACHINE, { ...options, files })];
    expect(valuesOf('--ro-bind-data', 2, command)).toEqual([
      ['10', '/opt/a'],
      ['11', '/opt/b'],
    ]);
    // Of the second one only.
    expect(valuesOf('--perms', 4, command)).toEqual([['0555', '--ro-bind-data', '11', '/opt/b']]);
    const end = command.findIndex(
      (_, index) => command.slice(index, index + 2).join(' ') === '--remount-ro /',
    );
    expect(command.lastIndexOf('--ro-bind-data')).toBeLessThan(end);
  });

  test('has every namespace of its own, and can create none [bubblewrap/namespaces]', () => {
    for (const kind of ['user', 'pid', 'net', 'ipc', 'uts', 'cgroup']) {
      expect(commandFor()).toContain(`--unshare-${kind}`);
    }
    expect(commandFor()).toContain('--disable-userns');
    expect(commandFor().filter((argument) => argument.endsWith('-try'))).toEqual([]);
  });

  test('does without what an older bubblewrap does not know', () => {
    expect(commandFor({ disablesUserNamespaces: false })).not.toContain('--disable-userns');
  });

  test('is of an ordinary user without capabilities, under a filter', () => {
    expect(valuesOf('--uid', 1)).toEqual([['20007']]);
    expect(valuesOf('--gid', 1)).toEqual([['20007']]);
    expect(valuesOf('--cap-drop', 1)).toEqual([['ALL']]);
    expect(commandFor()).not.toContain('--cap-add');
    expect(valuesOf('--seccomp', 1)).toEqual([[String(FILTER_DESCRIPTOR)]]);
  });

  test('ends with its host, has no terminal, and has the supervisor as process 1 [supervisor/processes]', () => {
    expect(commandFor()).toEqual(
      expect.arrayContaining(['--die-with-parent', '--new-session', '--as-pid-1']),
    );
  });

  test('shows of the machine its programs, read-only, and five devices [compared/files, bubblewrap/programs, host/etc]', () => {
    const shown = valuesOf('--ro-bind', 2);
    expect(shown).toEqual([
      ['/usr', '/usr'],
      ['/etc/ld.so.cache', '/etc/ld.so.cache'],
      ['/proc/sys', '/proc/sys'],
      ['/proc/sysrq-trigger', '/proc/sysrq-trigger'],
      ['/dev/null', '/proc/kallsyms'],
    ]);
    expect(valuesOf('--symlink', 2)).toContainEqual(['usr/bin', '/bin']);
    expect(valuesOf('--dev-bind', 2)).toEqual(
      ['null', 'full', 'random', 'urandom', 'zero'].map((name) => [`/dev/${name}`, `/dev/${name}`]),
    );
  });

  test('shows no device that can be mapped if no control group counts its memory [watched/zero-device]', () => {
    const shown = valuesOf('--dev-bind', 2, commandFor({}, DEFAULT_LIMITS, false));
    expect(shown).toContainEqual(['/dev/full', '/dev/zero']);
    expect(shown.map(([source]) => source)).not.toContain('/dev/zero');
  });

  test('makes only /tmp writable, which has limits and to which /dev/shm is a link [bubblewrap/storage]', () => {
    expect(valuesOf('--bind', 2)).toEqual([['/tmp', '/tmp']]);
    expect(valuesOf('--symlink', 2)).toContainEqual(['/tmp', '/dev/shm']);
    // Each file system in memory is made read-only, the root last.
    expect(valuesOf('--tmpfs', 1).flat()).toEqual(['/proc/acpi']);
    expect(valuesOf('--remount-ro', 1).flat()).toEqual(['/proc/acpi', '/']);
    const limits = { ...DEFAULT_LIMITS, temporaryStorageBytes: 5_000_000 };
    expect(temporaryFileSystem(limits)).toBe(
      'mode=1777,noexec,nosuid,nodev,size=5000000,nr_inodes=4096',
    );
    expect(commandFor({}, limits)).toContain('--fsize=5000000');
  });

  test('has its own environment and nothing of the host’s', () => {
    expect(commandFor()).toContain('--clearenv');
    const names = valuesOf('--setenv', 1).flat();
    expect(names).toEqual([
      'PATH',
      'LANG',
      'HOME',
      'OUTPUT_DIR',
      'USER',
      'OMP_NUM_THREADS',
      'OPENBLAS_NUM_THREADS',
    ]);
  });

  test('is under the limits of its spec when it starts what runs in it [bubblewrap/processes, watched/reservation, bubblewrap/signals]', () => {
    const command = commandFor({}, { ...DEFAULT_LIMITS, processes: 7, memoryBytes: 1_000_000 });
    const limits = command.slice(command.indexOf('prlimit'));
    expect(limits).toEqual([
      'prlimit',
      '--nofile=256',
      '--fsize=16777216',
      '--memlock=0',
      '--sigpending=1024',
      '--nproc=7',
      `--data=${1_000_000 + 2 ** 30}`,
      '--',
      'python3',
      '-c',
      'program',
    ]);
  });
});

test.each([
  ['0.8.0', [0, 8], true],
  ['0.11', [0, 8], true],
  ['0.7.9', [0, 8], false],
  ['5.14.0-503.el9', [5, 14], true],
  ['4.18.0', [5, 14], false],
  ['6.1', [5, 14], true],
  ['of an unknown version', [0, 5], false],
] as const)('version %s is at least %j: %s', (version, least, expected) => {
  expect(isAtLeast(version, least)).toBe(expected);
});

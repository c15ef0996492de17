import { describe, expect, it } from 'vitest';
import { parseFacts, type ProbeFacts } from '../../../src/cli/security/facts.ts';
import { judgeFacts } from '../../../src/cli/security/judge-facts.ts';
import { securityRows } from '../../../src/cli/security/rows.ts';
import { unexamined } from '../../../src/cli/security/unexamined.ts';
import { protection, type Protection } from '../../../src/sandbox/protection.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

const NO_CAPABILITY = ['0000000000000000'];

/** What the probe sees where everything holds. */
const GOOD: ProbeFacts = {
  status: {
    Uid: ['20000', '20000', '20000', '20000'],
    Gid: ['20000', '20000', '20000', '20000'],
    NoNewPrivs: ['1'],
    Seccomp: ['2'],
    CapInh: NO_CAPABILITY,
    CapPrm: NO_CAPABILITY,
    CapEff: NO_CAPABILITY,
    CapBnd: NO_CAPABILITY,
    CapAmb: NO_CAPABILITY,
  },
  read_only_root: true,
  writable_directories: ['/tmp'],
  temporary_files: {
    options: ['rw', 'nosuid', 'nodev', 'noexec'],
    bytes: 2 ** 24,
    entries: 4096,
  },
  host_directories: [],
  interfaces: ['lo'],
  control_groups: { paths: ['/'], writable: false },
  group_limits: {
    memory_bytes: 2 ** 28,
    swap_bytes: 0,
    processors: 0.5,
    processes: 64,
  },
  limits: { nofile: [256, 256], core: [1, 1], fsize: [2 ** 24, 2 ** 24], memlock: [0, 0] },
  oom_score: 500,
  shown_paths: [],
  writable_paths: [],
  devices: ['fd', 'full', 'null', 'pts', 'urandom', 'zero'],
  terminal: 'ENOENT',
  descriptors: [
    [0, '/dev/null'],
    [1, 'pipe'],
  ],
  environment: ['HOME', 'PATH'],
  processes: [1, 8],
  sockets: { AF_INET: 'EPERM', AF_ALG: 'EAFNOSUPPORT' },
  connection: 'EPERM',
  system_calls: { ptrace: 'EPERM', clone3: 'ENOSYS' },
  webassembly: null,
  supervisor: { mem: 'EACCES', trace: 'EPERM', SIGKILL: 'without effect' },
};

/** What the probe prints. */
const printed = (facts: object): string =>
  Object.entries(facts)
    .map(([name, value]) => `${JSON.stringify(name)}\n${JSON.stringify({ [name]: value })}\n`)
    .join('');

const expected = { limits: DEFAULT_LIMITS, hostVariable: 'HOST_VARIABLE' };

function missing(changes: Partial<ProbeFacts>): string[] {
  return judgeFacts({ ...GOOD, ...changes }, expected)
    .filter(({ holds }) => !holds)
    .map(({ name, seen }) => `${name}: ${seen}`);
}

describe('what a probe saw', () => {
  it('lacks nothing where everything is as it should be', () => {
    expect(missing({})).toEqual([]);
  });

  const { status, control_groups: groups, group_limits: bounds, temporary_files: files } = GOOD;
  const { limits } = GOOD;

  it.each<[Partial<ProbeFacts>, string]>([
    [{ status: { ...status, Uid: ['0', '0', '0', '0'] } }, 'user: 0'],
    [{ status: { ...status, CapBnd: ['00000000a80425fb'] } }, 'capabilities: some in CapBnd'],
    [{ status: { ...status, NoNewPrivs: ['0'] } }, 'new privileges: NoNewPrivs 0'],
    [{ status: { ...status, Seccomp: ['0'] } }, 'system calls: filter mode 0'],
    [
      { system_calls: { ptrace: 'ESRCH', unshare: 'done', mount: 'EPERM' } },
      'system calls: not refused: ptrace (ESRCH) unshare (done)',
    ],
    [{ sockets: { AF_INET: 'done' } }, 'network: not refused: AF_INET (done)'],
    [{ interfaces: ['eth0', 'lo'] }, 'network: interfaces eth0 lo'],
    [{ connection: 'done' }, 'network: a connection'],
    [{ read_only_root: false }, 'root file system: writable'],
    [{ host_directories: ['/old'] }, 'host directories: the host’s files in /old'],
    [{ writable_directories: ['/dev/mqueue', '/tmp'] }, 'storage: also /dev/mqueue'],
    [
      { temporary_files: files && { ...files, options: ['rw', 'nosuid'] } },
      'temporary files: without noexec nodev, 16 MiB, 4096 entries',
    ],
    [
      { temporary_files: files && { ...files, bytes: 2 ** 30 } },
      'temporary files: noexec nosuid nodev, 1024 MiB, 4096 entries',
    ],
    [{ shown_paths: ['/proc/keys'] }, 'hidden paths: visible: /proc/keys'],
    [{ writable_paths: ['/proc/sys'] }, 'read-only paths: writable: /proc/sys'],
    [{ devices: ['null', 'sda'] }, 'devices: others: sda'],
    [{ terminal: 'done' }, 'devices: opens a pseudo-terminal'],
    [{ processes: [1, 2, 3, 4, 5] }, 'namespaces: 5 processes'],
    [
      { control_groups: groups && { ...groups, paths: ['/docker/0123'] } },
      'control group: /docker/0123',
    ],
    [{ control_groups: groups && { ...groups, writable: true } }, 'control group: writable'],
    [{ group_limits: bounds && { ...bounds, memory_bytes: null } }, 'memory: no limit'],
    [{ group_limits: bounds && { ...bounds, swap_bytes: 2 ** 28 } }, 'swap: 256 MiB'],
    [{ group_limits: bounds && { ...bounds, swap_bytes: null } }, 'swap: no limit'],
    [{ group_limits: bounds && { ...bounds, processors: 2 } }, 'processors: 2'],
    [{ group_limits: bounds && { ...bounds, processes: null } }, 'processes: no limit'],
    [{ limits: { ...limits, nofile: [256, 1024] } }, 'process limits: nofile 1024'],
    [{ oom_score: 0 }, 'out-of-memory score: 0'],
    [
      { descriptors: [[3, '/var/lib/engine']] },
      'descriptors: leads elsewhere: 3 (/var/lib/engine)',
    ],
    [
      { supervisor: { mem: 'done', SIGKILL: 'took effect' } },
      'supervisor: not refused: mem (done) SIGKILL (took effect)',
    ],
    [{ environment: ['HOME', 'HOST_VARIABLE'] }, 'environment: 2 variables, the host’s among them'],
  ])('%j is missing', (changes, sentence) => {
    expect(missing(changes)).toEqual([sentence]);
  });

  it('says nothing of what it could not see', () => {
    const nothing = Object.fromEntries(Object.keys(GOOD).map((name) => [name, null]));
    expect(judgeFacts(nothing as unknown as ProbeFacts, expected)).toEqual([]);
  });

  it('is judged by other protections in WebAssembly', () => {
    const inside = { javascript: 'EvalError', process: 'ENOSYS', files: [] };
    // It has sockets that lead nowhere.
    const sockets = { AF_INET: 'done' };
    expect(missing({ sockets, webassembly: inside })).toEqual([]);
    const broken = { javascript: 'done', process: 'done', files: ['/etc/passwd'] };
    expect(missing({ webassembly: broken, connection: 'done' })).toEqual([
      'network: connecting: done',
      'processes: starting one: done',
      'host directories: files of the machine: /etc/passwd',
      'JavaScript: making code: done',
    ]);
  });

  it('is read as far as it was printed', () => {
    const all = { facts: GOOD, missing: [], collecting: undefined };
    expect(parseFacts(printed(GOOD))).toEqual(all);
    expect(parseFacts(`${printed(GOOD)}Traceback`)).toEqual(all);
    const { interfaces: _interfaces, ...rest } = GOOD;
    expect(parseFacts(`${printed(rest)}"interfaces"\n`)).toEqual({
      facts: { ...GOOD, interfaces: null },
      missing: ['interfaces'],
      collecting: 'interfaces',
    });
    const invalid = parseFacts(printed({ ...GOOD, status: 'Uid: 0' }));
    expect(invalid).toMatchObject({ facts: { status: null }, missing: ['status'] });
    for (const text of ['', '{}', '[1]', 'null', 'Traceback']) {
      const { facts, missing: unknown } = parseFacts(text);
      expect(unknown).toEqual(Object.keys(facts));
    }
  });
});

function rowsOf(
  facts: object,
  { last = '', reported = [] }: { last?: string; reported?: readonly Protection[] } = {},
): (readonly [string, string, string])[] {
  const report = parseFacts(`${printed(facts)}${last}\n`);
  const seen = [...judgeFacts(report.facts, expected), ...unexamined(report, 'timeout', reported)];
  return securityRows(reported, seen).map((row) => [row.name, row.seen, row.verdict]);
}

const doubtful = (rows: ReturnType<typeof rowsOf>): typeof rows =>
  rows.filter(([, , verdict]) => verdict !== 'holds');

describe('what a probe could not find out', () => {
  it('is unknown, also if another part of the row holds', () => {
    expect(doubtful(rowsOf({ ...GOOD, supervisor: null, terminal: null }))).toEqual([
      ['devices', 'only the usual ones, not found out', 'unknown'],
      ['supervisor', 'not found out', 'unknown'],
    ]);
  });

  it('holds if the provider reports it', () => {
    const memory = protection('memory', '256 MiB', '256 MiB', true, '');
    const swap = protection('swap', 'none', undefined, true, '');
    const rows = rowsOf({ ...GOOD, group_limits: null }, { reported: [memory, swap] });
    expect(rows).toContainEqual(['memory', '–', 'holds']);
    expect(doubtful(rows)).toEqual([
      ['swap', 'not found out', 'unknown'],
      ['processors', 'not found out', 'unknown'],
      ['processes', 'not found out', 'unknown'],
    ]);
  });

  it('is only what counts in WebAssembly', () => {
    const webassembly = { javascript: 'EvalError', process: 'ENOSYS', files: [] };
    const facts = { ...GOOD, webassembly, supervisor: null, terminal: null, environment: null };
    expect(doubtful(rowsOf(facts))).toEqual([['environment', 'not found out', 'unknown']]);
  });
});

describe('what a probe did not examine because it was stopped', () => {
  it('is unknown, and the rest is judged', () => {
    const { processes: _processes, supervisor: _supervisor, ...rest } = GOOD;
    const rows = rowsOf(rest, { last: '"supervisor"' });
    expect(doubtful(rows)).toEqual([
      ['namespaces', 'not examined', 'unknown'],
      ['supervisor', 'no answer (timeout)', 'unknown'],
    ]);
    expect(rows).toContainEqual(['memory', '256 MiB', 'holds']);
  });

  it('is unknown although a part of it holds, and missing if a part is missing', () => {
    const { connection: _connection, ...rest } = GOOD;
    const row = (facts: object): unknown => rowsOf(facts).find(([name]) => name === 'network');
    expect(row(rest)).toEqual([
      'network',
      '2 socket families, all refused, only loopback, not examined',
      'unknown',
    ]);
    expect(row({ ...rest, interfaces: ['eth0'] })).toContain('missing');
  });

  it('is only what counts in WebAssembly', () => {
    const webassembly = { javascript: 'EvalError', process: 'ENOSYS', files: [] };
    const rows = rowsOf({ webassembly }, { last: '"environment"' });
    expect(doubtful(rows)).toEqual([
      ['environment', 'no answer (timeout)', 'unknown'],
      ['network', 'not examined', 'unknown'],
    ]);
    // Stopped before it knew where it was.
    expect(rowsOf({})).toEqual([]);
  });
});

describe('the rows of the table', () => {
  const memory: Protection = {
    name: 'memory',
    asked: '256 MiB',
    applied: '256 MiB',
    holds: true,
    missing: 'memory has no limit',
  };

  it('hold where both sides say so', () => {
    const seen = [{ name: 'memory', seen: '256 MiB', holds: true } as const];
    expect(securityRows([memory], seen)).toEqual([
      {
        name: 'memory',
        asked: '256 MiB',
        applied: 'as asked',
        seen: '256 MiB',
        verdict: 'holds',
      },
    ]);
  });

  it('show that an engine accepts an option and ignores it [host/doctor-security]', () => {
    const seen = [{ name: 'memory', seen: 'no limit', holds: false } as const];
    expect(securityRows([memory], seen)).toMatchObject([
      { applied: 'as asked', seen: 'no limit', verdict: 'missing' },
    ]);
  });

  it('are unknown where neither side can tell', () => {
    expect(securityRows([{ ...memory, applied: undefined }], [])).toMatchObject([
      { applied: 'not reported', seen: '–', verdict: 'unknown' },
    ]);
  });
});

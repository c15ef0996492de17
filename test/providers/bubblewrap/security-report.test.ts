import { describe, expect, test } from 'vitest';
import type { AppliedSetting } from '../../../src/providers/bubblewrap/control-groups/control-groups.ts';
import { bubblewrapSecurity } from '../../../src/providers/bubblewrap/check/security-report.ts';
import type { SupervisorFacts } from '../../../src/providers/bubblewrap/check/supervisor-facts.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

const STATUS = {
  Uid: '20001\t20001\t20001\t20001',
  Gid: '20001\t20001\t20001\t20001',
  CapInh: '0000000000000000',
  CapPrm: '0000000000000000',
  CapEff: '0000000000000000',
  CapBnd: '0000000000000000',
  CapAmb: '0000000000000000',
  NoNewPrivs: '1',
  Seccomp: '2',
};
const LIMITS = {
  'Max open files': '256',
  'Max core file size': '1',
  'Max file size': '16777216',
  'Max locked memory': '0',
  'Max pending signals': '1024',
  'Max processes': '64',
};
const MOUNTS = {
  '/': 'ro,nosuid,nodev,rw',
  '/tmp': 'rw,nosuid,nodev,noexec,rw,size=16384k,nr_inodes=4096',
};

/** What a group's kernel says of its memory. */
function memoryMax(applied: string | undefined): AppliedSetting {
  return { name: 'memory', file: 'memory.max', value: '268435456', applied };
}

interface Told {
  readonly status?: Record<string, string>;
  readonly limits?: Record<string, string>;
  readonly mounts?: Record<string, string>;
  readonly shared?: readonly string[];
  readonly oomScore?: number;
  readonly group?: readonly AppliedSetting[];
}

function missing({
  status,
  limits,
  mounts,
  shared = [],
  oomScore = 500,
  group = [memoryMax('268435456')],
}: Told): string[] {
  const facts: SupervisorFacts = {
    status: new Map(Object.entries({ ...STATUS, ...status })),
    limits: new Map(Object.entries({ ...LIMITS, ...limits })),
    mounts: new Map(Object.entries({ ...MOUNTS, ...mounts })),
    shared,
    oomScore,
  };
  return bubblewrapSecurity(DEFAULT_LIMITS, facts, group)
    .protections.filter(({ holds }) => !holds)
    .map((protection) => protection.missing);
}

describe('what the kernel reports about a bubblewrap sandbox', () => {
  test('lacks nothing if it is as requested', () => {
    expect(missing({})).toEqual([]);
  });

  test.each<[string, Told]>([
    ['its user is root', { status: { Uid: '0\t0\t0\t0' } }],
    ['some capabilities are not dropped', { status: { CapBnd: '000001ffffffffff' } }],
    ['programs can gain privileges', { status: { NoNewPrivs: '0' } }],
    ['system calls are not filtered', { status: { Seccomp: '0' } }],
    ['namespaces are shared (net ipc)', { shared: ['net', 'ipc'] }],
    ['the root file system is writable', { mounts: { '/': 'rw,rw' } }],
    [
      'the temporary storage is not what was requested (noexec, nr_inodes=4096)',
      { mounts: { '/tmp': 'rw,nosuid,nodev,rw,size=16384k' } },
    ],
    ['limits of processes are missing', { limits: { 'Max open files': '1024' } }],
    ['the number of processes is not limited', { limits: { 'Max processes': 'unlimited' } }],
    ['the kernel may end other processes before it if memory runs out', { oomScore: 0 }],
    ['no control group limits memory', { group: [memoryMax('max')] }],
    ['no control group limits memory', { group: [memoryMax(undefined)] }],
    ['no control group limits memory', { group: [memoryMax('-1')] }],
    ['no control group limits memory', { group: [memoryMax('')] }],
  ])('tells that %s', (clause, told) => {
    expect(missing(told)).toEqual([clause]);
  });

  test('is shown as the kernel reports it, also if it is less than was requested', () => {
    const { protections } = bubblewrapSecurity(DEFAULT_LIMITS, undefined, [memoryMax('0')]);
    expect(protections[0]).toMatchObject({
      asked: 'memory.max=268435456',
      applied: 'memory.max=0',
      holds: true,
    });
  });

  test('is left out if the kernel reports nothing, and the weaknesses are still reported', () => {
    const report = bubblewrapSecurity(DEFAULT_LIMITS, undefined, { absence: 'none here' });
    expect(report.protections.map(({ name, applied }) => `${name}: ${applied}`)).toEqual([
      'memory: 256 MiB, measured',
      'swap: counted as memory',
      'processors: not limited',
    ]);
    expect(report.notes.join(' ')).toContain('No limit on processor time');
    expect(report.notes[0]).toBe('No control groups: none here.');
  });

  test('has a note about unlimited processor time if a group has only the memory controller', () => {
    const { notes, protections } = bubblewrapSecurity(DEFAULT_LIMITS, undefined, [
      memoryMax('268435456'),
    ]);
    expect(protections).toContainEqual(
      expect.objectContaining({ name: 'processors', applied: 'not limited' }),
    );
    expect(notes.join(' ')).toContain('No limit on processor time');
    expect(notes.join(' ')).not.toContain('watched');
  });
});

import { protection, type Protection, type SecurityReport } from '../../../sandbox/protection.ts';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';
import { PENDING_SIGNALS } from '../start/bwrap-arguments.ts';
import type { AppliedSetting } from '../control-groups/control-groups.ts';
import type { NoControlGroups } from '../control-groups/find.ts';
import type { SupervisorFacts } from './supervisor-facts.ts';
import { showBytes } from '../../../shared/show-bytes.ts';

/**
 * Compares what was requested for a sandbox with what the kernel reports, and adds the weaknesses
 * of this provider.
 */
export function bubblewrapSecurity(
  limits: ResourceLimits,
  facts: SupervisorFacts | undefined,
  group: readonly AppliedSetting[] | NoControlGroups,
): SecurityReport {
  const protections =
    facts === undefined
      ? []
      : [...rights(facts), ...files(facts, limits), ...resources(facts, limits)];
  if (!('absence' in group)) {
    const isTimeLimited = group.some(({ name }) => name === 'processors');
    return {
      protections: [
        ...protections,
        ...group.map(bound),
        ...(isTimeLimited ? [] : [UNLIMITED_PROCESSORS]),
      ],
      notes: [...(isTimeLimited ? [] : [UNLIMITED_TIME]), ...WEAKNESSES],
    };
  }
  const watched = `${showBytes(limits.memoryBytes)}, measured`;
  return {
    protections: [
      ...protections,
      protection('memory', watched, watched, true, 'memory has no limit'),
      asItIs('swap', 'counted as memory'),
      UNLIMITED_PROCESSORS,
    ],
    notes: [
      `No control groups: ${group.absence}.`,
      UNCOUNTED_MEMORY,
      UNLIMITED_TIME,
      ...WEAKNESSES,
    ],
  };
}

/** What no sandbox of this kind is asked to have. A note says so. */
function asItIs(name: Protection['name'], what: string): Protection {
  return protection(name, what, what, true, '');
}

/** The kernel rounds values down to whole pages. Any other value, such as -1, does not limit anything. */
function bound({ name, file, value, applied, optional }: AppliedSetting): Protection {
  const isLower = /^\d+$/.test(applied ?? '') && Number(applied) <= Number(value);
  return protection(
    name,
    `${file}=${value}`,
    applied === undefined ? undefined : `${file}=${applied}`,
    applied === value || isLower || (optional === true && applied === undefined),
    `no control group limits ${name}`,
  );
}

function rights({ status, shared }: SupervisorFacts): Protection[] {
  const ids = [...words(status.get('Uid')), ...words(status.get('Gid'))];
  const held = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].filter(
    (set) => !/^0+$/.test(status.get(set) ?? ''),
  );
  const user = ids[0] ?? 'unknown';
  return [
    protection('user', 'not root', user, !ids.includes('0') && ids.length > 0, 'its user is root'),
    protection(
      'capabilities',
      'none',
      held.length === 0 ? 'none' : `some in ${held.join(' ')}`,
      held.length === 0,
      'some capabilities are not dropped',
    ),
    protection(
      'new privileges',
      'refused',
      status.get('NoNewPrivs') === '1' ? 'refused' : 'possible',
      status.get('NoNewPrivs') === '1',
      'programs can gain privileges',
    ),
    protection(
      'system calls',
      'our list',
      status.get('Seccomp') === '2' ? 'our list' : 'not filtered',
      status.get('Seccomp') === '2',
      'system calls are not filtered',
    ),
    protection(
      'namespaces',
      'its own',
      shared && (shared.length === 0 ? 'its own' : `shared: ${shared.join(' ')}`),
      (shared ?? []).length === 0,
      `namespaces are shared (${shared?.join(' ')})`,
    ),
  ];
}

function files(
  { mounts }: SupervisorFacts,
  { temporaryStorageBytes }: ResourceLimits,
): Protection[] {
  const optionsOf = (path: string): readonly string[] => mounts?.get(path)?.split(',') ?? [];
  const told = mounts !== undefined;
  const isReadOnly = optionsOf('/').includes('ro');
  const wanted = ['noexec', 'nosuid', 'nodev', sizeOption(temporaryStorageBytes), 'nr_inodes=4096'];
  const lacking = wanted.filter((option) => !optionsOf('/tmp').includes(option));
  return [
    protection(
      'root file system',
      'read-only',
      told ? (isReadOnly ? 'read-only' : 'writable') : undefined,
      isReadOnly || !told,
      'the root file system is writable',
    ),
    protection(
      'temporary files',
      wanted.join(' '),
      told ? (lacking.length === 0 ? 'as asked' : `without ${lacking.join(' ')}`) : undefined,
      lacking.length === 0 || !told,
      `the temporary storage is not what was requested (${lacking.join(', ')})`,
    ),
  ];
}

/** As the kernel writes it: in KiB, rounded up to whole pages. */
function sizeOption(bytes: number): string {
  return `size=${Math.ceil(bytes / 4096) * 4}k`;
}

function resources({ limits, oomScore }: SupervisorFacts, wanted: ResourceLimits): Protection[] {
  const bounds = [
    ['nofile', 'Max open files', 256],
    ['core', 'Max core file size', 1],
    ['fsize', 'Max file size', wanted.temporaryStorageBytes],
    ['memlock', 'Max locked memory', 0],
    ['sigpending', 'Max pending signals', PENDING_SIGNALS],
  ] as const;
  const show = (valueOf: (line: string, asked: number) => string): string =>
    bounds.map(([name, line, asked]) => `${name}=${valueOf(line, asked)}`).join(' ');
  const asked = show((_line, value) => String(value));
  const applied = show((line) => limits.get(line) ?? 'unknown');
  const processes = limits.get('Max processes');
  return [
    protection(
      'process limits',
      asked,
      applied,
      applied === asked,
      'limits of processes are missing',
    ),
    protection(
      'processes',
      String(wanted.processes),
      processes,
      processes === String(wanted.processes),
      'the number of processes is not limited',
    ),
    protection(
      'out-of-memory score',
      '500',
      oomScore === undefined ? undefined : String(oomScore),
      oomScore === undefined || oomScore >= 500,
      'the kernel may end other processes before it if memory runs out',
    ),
  ];
}

function words(text = ''): string[] {
  return text.split(/\s+/).filter(Boolean);
}

const UNLIMITED_PROCESSORS = asItIs('processors', 'not limited');
const UNCOUNTED_MEMORY =
  'Memory is measured every 50 ms and not counted by a control group: until the next measurement, a sandbox can ' +
  'use any amount beyond its limit. What the kernel holds for a program is counted or refused as far as it is known.';
const UNLIMITED_TIME =
  'No limit on processor time: a program can keep all processors busy until its time limit.';
const WEAKNESSES = [
  'A sandbox can read and start the installed programs of the machine and their data (/usr/bin, /usr/lib, /usr/share).',
  'Prefer Docker for code of strangers.',
];

import type { ProtectionName } from '../../sandbox/protection.ts';
import type { ResourceLimits } from '../../sandbox/sandbox.ts';
import type { ProbeFacts } from './facts.ts';
import { showBytes } from '../../shared/show-bytes.ts';

/** What the probe found about a protection, and whether the protection holds. */
export interface Observation {
  readonly name: ProtectionName;
  readonly seen: string;
  /** Undefined if the probe did not find out. */
  readonly holds: boolean | undefined;
}

export interface Expectation {
  readonly limits: ResourceLimits;
  /** A variable of the host's environment, which a sandbox must not see. */
  readonly hostVariable: string;
}

/** Judges the facts of a probe. Facts that it could not find out are left out. */
export function judgeFacts(facts: ProbeFacts, expected: Expectation): readonly Observation[] {
  const judged =
    facts.webassembly === null
      ? [
          ...judgeRights(facts),
          ...judgeFiles(facts, expected.limits),
          ...judgeNames(facts),
          ...judgeResources(facts, expected.limits),
          ...judgeSupervisor(facts),
        ]
      : judgeWebAssembly(facts, facts.webassembly);
  if (facts.environment === null) return judged;
  const leaked = facts.environment.includes(expected.hostVariable);
  const names = `${facts.environment.length} variables`;
  const seen = leaked ? `${names}, the host’s among them` : `${names}, none of the host’s`;
  return [...judged, { name: 'environment', seen, holds: !leaked }];
}

function judgeRights({ status, sockets, system_calls: calls }: ProbeFacts): Observation[] {
  const observations: Observation[] = [];
  if (status !== null) {
    const [user = 'unknown'] = status['Uid'] ?? [];
    const isSystem = [...(status['Uid'] ?? []), ...(status['Gid'] ?? [])].includes('0');
    observations.push({ name: 'user', seen: user, holds: !isSystem && user !== 'unknown' });
    const held = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].filter(
      (set) => !/^0+$/.test(status[set]?.[0] ?? ''),
    );
    observations.push({
      name: 'capabilities',
      seen: held.length === 0 ? 'none in any set' : `some in ${held.join(' ')}`,
      holds: held.length === 0,
    });
    const refused = status['NoNewPrivs']?.[0] === '1';
    const seen = refused ? 'NoNewPrivs 1' : 'NoNewPrivs 0';
    observations.push({ name: 'new privileges', seen, holds: refused });
    const mode = status['Seccomp']?.[0];
    observations.push({ name: 'system calls', seen: `filter mode ${mode}`, holds: mode === '2' });
  }
  if (calls !== null) observations.push(refusals('system calls', calls, /^EPERM$|^ENOSYS$/));
  if (sockets !== null) {
    observations.push(refusals('network', sockets, /^EPERM$|^EAFNOSUPPORT$/, 'socket families'));
  }
  return observations;
}

/** Lists the attempts that were not refused with one of these errors. */
function refusals(
  name: ProtectionName,
  tried: Readonly<Record<string, string>>,
  refused: RegExp,
  what = 'tried',
): Observation {
  const all = Object.entries(tried);
  const open = all.filter(([, outcome]) => !refused.test(outcome));
  const list = open.map(([call, outcome]) => `${call} (${outcome})`).join(' ');
  const seen = open.length === 0 ? `${all.length} ${what}, all refused` : `not refused: ${list}`;
  return { name, seen, holds: open.length === 0 };
}

function judgeFiles(facts: ProbeFacts, limits: ResourceLimits): Observation[] {
  const observations: Observation[] = [];
  const {
    read_only_root: readOnly,
    host_directories: directories,
    writable_directories: writable,
    temporary_files: files,
  } = facts;
  if (readOnly !== null) {
    observations.push({
      name: 'root file system',
      seen: readOnly ? 'read-only' : 'writable',
      holds: readOnly,
    });
  }
  if (directories !== null) {
    const holds = directories.length === 0;
    const seen = holds ? 'no file of the host' : `the host’s files in ${directories.join(' ')}`;
    observations.push({ name: 'host directories', seen, holds });
  }
  if (writable !== null) {
    const more = writable.filter((path) => path !== '/tmp' && path !== '/dev/shm');
    const seen = more.length === 0 ? `${writable.join(' ')} only` : `also ${more.join(' ')}`;
    observations.push({ name: 'storage', seen, holds: more.length === 0 });
  }
  if (files !== null) {
    const lacking = ['noexec', 'nosuid', 'nodev'].filter(
      (option) => !files.options.includes(option),
    );
    const holds = lacking.length === 0 && files.bytes <= limits.temporaryStorageBytes;
    const options = lacking.length === 0 ? 'noexec nosuid nodev' : `without ${lacking.join(' ')}`;
    const entries = files.entries > 0 ? `${files.entries} entries` : 'entries unbounded';
    const seen = `${options}, ${showBytes(files.bytes)}, ${entries}`;
    observations.push({ name: 'temporary files', seen, holds });
  }
  const lists = [
    ['hidden paths', facts.shown_paths, 'hidden', 'visible'],
    ['read-only paths', facts.writable_paths, 'read-only', 'writable'],
    ['devices', facts.devices && strangeDevices(facts.devices), 'only the usual ones', 'others'],
  ] as const;
  for (const [name, open, good, bad] of lists) {
    if (open === null) continue;
    const seen = open.length === 0 ? good : `${bad}: ${open.join(' ')}`;
    observations.push({ name, seen, holds: open.length === 0 });
  }
  // All sandboxes and other programs of the machine share a limited number of pseudo-terminals.
  if (facts.terminal !== null) {
    const hasTerminal = facts.terminal === 'done';
    const seen = hasTerminal ? 'opens a pseudo-terminal' : 'no pseudo-terminal';
    observations.push({ name: 'devices', seen, holds: !hasTerminal });
  }
  return observations;
}

/** The devices of every container. None of them is a device of the machine. */
const USUAL_DEVICES = new Set(
  `console core fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero`.split(
    ' ',
  ),
);

function strangeDevices(devices: readonly string[]): string[] {
  return devices.filter((name) => !USUAL_DEVICES.has(name));
}

function judgeNames(facts: ProbeFacts): Observation[] {
  const observations: Observation[] = [];
  const { interfaces, control_groups: groups, processes, descriptors, connection } = facts;
  const reached = connection === 'done';
  if (reached) observations.push({ name: 'network', seen: 'a connection', holds: false });
  if (interfaces !== null) {
    const more = interfaces.filter((name) => name !== 'lo');
    const seen = more.length === 0 ? 'only loopback' : `interfaces ${interfaces.join(' ')}`;
    observations.push({ name: 'network', seen, holds: more.length === 0 });
  }
  if (groups !== null) {
    const own = groups.paths.every((path) => path === '/') && !groups.writable;
    const seen = groups.writable ? 'writable' : groups.paths.join(' ');
    observations.push({ name: 'control group', seen: own ? 'its own' : seen, holds: own });
  }
  if (processes !== null) {
    // The supervisor, the guest, and no process that the probe did not start.
    const own = processes.includes(1) && processes.length <= 3;
    const seen = `${processes.length} processes`;
    observations.push({ name: 'namespaces', seen, holds: own });
  }
  if (descriptors !== null) {
    const ours = /^(?:pipe|socket|anon_inode|\/dev\/null)$/;
    const leaked = descriptors.filter(([, target]) => !ours.test(target));
    const list = leaked.map(([number, target]) => `${number} (${target})`).join(' ');
    const seen = leaked.length === 0 ? 'pipes and /dev/null' : `leads elsewhere: ${list}`;
    observations.push({ name: 'descriptors', seen, holds: leaked.length === 0 });
  }
  return observations;
}

/** Of the control group or, in pods, of the sandbox's own user. Null if nothing limits them. */
function mostProcesses({ group_limits: groups, limits: own }: ProbeFacts): number | null {
  const ofUser = own?.['nproc']?.[1] ?? -1;
  return groups?.processes ?? (ofUser < 0 ? null : ofUser);
}

function judgeResources(facts: ProbeFacts, limits: ResourceLimits): Observation[] {
  const observations: Observation[] = [];
  const { group_limits: groups, limits: own, oom_score: score } = facts;
  const bounds = [
    ['memory', groups?.memory_bytes, limits.memoryBytes],
    ['swap', groups?.swap_bytes, 0],
    ['processors', groups?.processors, limits.cpus],
    ['processes', groups === null ? undefined : mostProcesses(facts), limits.processes],
  ] as const;
  for (const [name, seen, most] of bounds) {
    if (seen === undefined) continue;
    observations.push({
      name,
      seen: showLimit(name, seen),
      holds: seen !== null && seen <= most,
    });
  }
  if (own !== null) {
    const most = { nofile: 256, core: 1, fsize: limits.temporaryStorageBytes, memlock: 0 };
    const open = Object.entries(most).filter(([name, value]) => own[name]?.[1] !== value);
    const list = open.map(([name]) => `${name} ${own[name]?.[1]}`).join(' ');
    const seen = open.length === 0 ? 'as asked' : list;
    observations.push({ name: 'process limits', seen, holds: open.length === 0 });
  }
  if (score !== null) {
    observations.push({ name: 'out-of-memory score', seen: String(score), holds: score >= 500 });
  }
  return observations;
}

function judgeSupervisor({ supervisor }: ProbeFacts): Observation[] {
  if (supervisor === null) return [];
  const refused = /^EACCES$|^EPERM$|^ENOENT$|^ESRCH$|^without effect$/;
  return [refusals('supervisor', supervisor, refused, 'attempts')];
}

function judgeWebAssembly(
  { connection }: ProbeFacts,
  { javascript, process, files }: NonNullable<ProbeFacts['webassembly']>,
): Observation[] {
  const shown = files.length === 0;
  const network = { seen: `connecting: ${connection}`, holds: connection !== 'done' };
  return [
    ...(connection === null ? [] : [{ name: 'network', ...network } as const]),
    { name: 'processes', seen: `starting one: ${process}`, holds: process !== 'done' },
    {
      name: 'host directories',
      seen: shown ? 'none of the machine’s files' : `files of the machine: ${files.join(' ')}`,
      holds: shown,
    },
    { name: 'JavaScript', seen: `making code: ${javascript}`, holds: javascript !== 'done' },
  ];
}

function showLimit(name: string, value: number | null): string {
  if (value === null) return 'no limit';
  return name === 'memory' || name === 'swap' ? showBytes(value) : String(value);
}

import type { Protection, ProtectionName } from '../../sandbox/protection.ts';
import type { ProbeFacts, ProbeReport } from './facts.ts';
import type { Observation } from './judge-facts.ts';

/** The protections that each fact shows. */
const SHOWN: Readonly<Record<keyof ProbeFacts, readonly ProtectionName[]>> = {
  status: ['user', 'capabilities', 'new privileges', 'system calls'],
  read_only_root: ['root file system'],
  writable_directories: ['storage'],
  temporary_files: ['temporary files'],
  host_directories: ['host directories'],
  interfaces: ['network'],
  control_groups: ['control group'],
  group_limits: ['memory', 'swap', 'processors', 'processes'],
  limits: ['process limits'],
  oom_score: ['out-of-memory score'],
  shown_paths: ['hidden paths'],
  writable_paths: ['read-only paths'],
  devices: ['devices'],
  terminal: ['devices'],
  descriptors: ['descriptors'],
  environment: ['environment'],
  processes: ['namespaces'],
  sockets: ['network'],
  connection: ['network'],
  system_calls: ['system calls'],
  webassembly: [],
  supervisor: ['supervisor'],
};

const NAMES = Object.keys(SHOWN) as (keyof ProbeFacts)[];

/** The facts that are judged if the interpreter is WebAssembly, apart from `webassembly`. */
const JUDGED_IN_WEBASSEMBLY: ReadonlySet<keyof ProbeFacts> = new Set(['environment', 'connection']);

/**
 * The protections that a probe did not examine, because it was stopped before, and those of which
 * it could not find out, if the provider does not report them either.
 * @param status - How it was stopped.
 */
export function unexamined(
  { facts, missing, collecting }: ProbeReport,
  status: string,
  reported: readonly Protection[],
): readonly Observation[] {
  // Without it, nothing tells which facts count.
  if (missing.includes('webassembly')) return [];
  const known = new Set(
    reported.filter(({ applied }) => applied !== undefined).map(({ name }) => name),
  );
  return NAMES.filter((fact) => facts[fact] === null)
    .filter((fact) => facts.webassembly === null || JUDGED_IN_WEBASSEMBLY.has(fact))
    .flatMap((fact) => {
      const wasStopped = missing.includes(fact);
      const stopped = fact === collecting ? `no answer (${status})` : 'not examined';
      const seen = wasStopped ? stopped : 'not found out';
      return SHOWN[fact]
        .filter((name) => wasStopped || !known.has(name))
        .map((name) => ({ name, seen, holds: undefined }));
    });
}

import type { ProtectionName } from '../../sandbox/protection.ts';
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
  control_groups: ['control group', 'memory', 'swap', 'processors', 'processes'],
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

/** The facts that are judged if the interpreter is WebAssembly, apart from `webassembly`. */
const JUDGED_IN_WEBASSEMBLY: ReadonlySet<keyof ProbeFacts> = new Set(['environment', 'connection']);

/**
 * The protections that a probe did not examine, because it was stopped before.
 * @param status - How it was stopped.
 */
export function unexamined(
  { facts, missing, collecting }: ProbeReport,
  status: string,
): readonly Observation[] {
  // Without it, nothing tells which facts count.
  if (missing.includes('webassembly')) return [];
  return missing
    .filter((fact) => facts.webassembly === null || JUDGED_IN_WEBASSEMBLY.has(fact))
    .flatMap((fact) => {
      const seen = fact === collecting ? `no answer (${status})` : 'not examined';
      return SHOWN[fact].map((name) => ({ name, seen, holds: undefined }));
    });
}

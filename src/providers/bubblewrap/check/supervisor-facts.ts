import { readFileSync, readlinkSync } from 'node:fs';
import { attempt } from '../../../shared/attempt.ts';

/** The kinds of namespaces that a sandbox has of its own, by their names in `/proc`. */
const NAMESPACES: readonly string[] = ['user', 'mnt', 'pid', 'net', 'ipc', 'uts', 'cgroup'];

/**
 * What the kernel reports about process 1 of a sandbox. A value is undefined if this process may
 * not read it.
 */
export interface SupervisorFacts {
  /** Lines of `/proc/…/status`, by name. */
  readonly status: ReadonlyMap<string, string>;
  /** The hard limits in `/proc/…/limits`, by name. */
  readonly limits: ReadonlyMap<string, string>;
  /** The options of the mount and of its file system, by mount point. */
  readonly mounts: ReadonlyMap<string, string> | undefined;
  /** The kinds of namespaces that the sandbox shares with this process. */
  readonly shared: readonly string[] | undefined;
  readonly oomScore: number | undefined;
}

/** Reads the facts. Undefined if the process has ended. */
export function readSupervisorFacts(id: number): SupervisorFacts | undefined {
  const read = (name: string): string | undefined =>
    attempt(() => readFileSync(`/proc/${id}/${name}`, 'utf8'));
  const status = read('status');
  const limits = read('limits');
  if (status === undefined || limits === undefined) return undefined;
  const mounts = read('mountinfo');
  const score = read('oom_score_adj');
  return {
    status: new Map(matches(status, /^(\w+):\s+(.*)$/gm)),
    limits: new Map(matches(limits, /^(Max [a-z ]+?) {2,}\S+ +(\S+)/gm)),
    mounts: mounts === undefined ? undefined : readMounts(mounts),
    shared: attempt(() =>
      NAMESPACES.filter((kind) => namespaceOf(id, kind) === namespaceOf('self', kind)),
    ),
    oomScore: score === undefined ? undefined : Number(score),
  };
}

function readMounts(table: string): ReadonlyMap<string, string> {
  const lines = table.split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const fields = line.split(' ');
      return [fields[4] ?? '', `${fields[5]},${fields.at(-1)}`];
    }),
  );
}

function namespaceOf(id: number | 'self', kind: string): string {
  return readlinkSync(`/proc/${id}/ns/${kind}`);
}

function matches(text: string, line: RegExp): [string, string][] {
  return Array.from(text.matchAll(line), ([, name = '', value = '']) => [name, value]);
}

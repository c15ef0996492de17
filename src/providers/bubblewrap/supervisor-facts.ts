import { readFileSync, readlinkSync } from 'node:fs';

/** Name spaces that a sandbox has of its own, by the names that `/proc` has for them. */
const NAME_SPACES: readonly string[] = ['user', 'mnt', 'pid', 'net', 'ipc', 'uts', 'cgroup'];

/** What the kernel says of process 1 of a sandbox. Undefined is what it does not tell this process. */
export interface SupervisorFacts {
  /** Lines of `/proc/…/status`. */
  readonly status: ReadonlyMap<string, string>;
  /** Lines of `/proc/…/limits`: the hard ones. */
  readonly limits: ReadonlyMap<string, string>;
  /** By mount point: the options of the mount and of its file system. */
  readonly mounts: ReadonlyMap<string, string> | undefined;
  /** Those of its name spaces that this process is in too. */
  readonly shared: readonly string[] | undefined;
  readonly oomScore: number | undefined;
}

/** Asks the kernel; undefined where the process has ended. */
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
      NAME_SPACES.filter((kind) => nameSpace(id, kind) === nameSpace('self', kind)),
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

function nameSpace(id: number | 'self', kind: string): string {
  return readlinkSync(`/proc/${id}/ns/${kind}`);
}

function matches(text: string, line: RegExp): [string, string][] {
  return Array.from(text.matchAll(line), ([, name = '', value = '']) => [name, value]);
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

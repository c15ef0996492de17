import { readdirSync, readFileSync } from 'node:fs';

interface Descendant {
  readonly id: number;
  /** One letter: the third field of proc(5)'s `stat`. */
  readonly state: string;
}

interface ProcessEntry extends Descendant {
  readonly parent: number;
}

/** All processes below one, at any depth. */
export function descendantsOf(ancestor: number): Descendant[] {
  const entries = readProcesses();
  const found: Descendant[] = [];
  const parents = [ancestor];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    const children = entries.filter((entry) => entry.parent === parent);
    found.push(...children.map(({ id, state }) => ({ id, state })));
    parents.push(...children.map(({ id }) => id));
  }
  return found;
}

/** The states of all processes below one, as a text of one letter each. */
export function statesBelow(ancestor: string | undefined): string {
  return descendantsOf(Number(ancestor))
    .map(({ state }) => state)
    .join('');
}

/**
 * All processes, each with a parent that is listed too. Processes end while they are read: one that ended between its
 * child and itself leaves an entry without its parent, and the child has another parent by then. So all are read again.
 */
function readProcesses(): ProcessEntry[] {
  for (;;) {
    const entries = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)) ?? []);
    // Those that a container or the kernel started have the parent 0.
    const ids = new Set([0, ...entries.map(({ id }) => id)]);
    if (entries.every(({ parent }) => ids.has(parent))) return entries;
  }
}

/** A process, undefined if it has ended. */
function readProcess(id: number): ProcessEntry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // After the name, which may hold anything.
  const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { id, state, parent: Number(parent) };
}

import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A process of a sandbox, by its id outside. */
export interface SandboxProcess {
  readonly id: number;
  /** What it has in memory beside files, counting in full what it shares with others. */
  readonly atMostBytes: number;
}

/** The processes of a sandbox. */
export interface SandboxProcesses {
  /** Process 1, which runs no program; undefined before it is there. */
  readonly supervisor: SandboxProcess | undefined;
  readonly others: readonly SandboxProcess[];
}

/**
 * Reads which processes a sandbox has, 64 at most. In one piece, so that an id that is used at once cannot
 * have passed on to a stranger.
 * @param launcherId - The process whose child is process 1.
 */
export function readProcesses(launcherId: number): SandboxProcesses {
  const [id] = childrenOf(launcherId);
  const supervisor = id === undefined ? undefined : readProcess(id);
  const others: SandboxProcess[] = [];
  const parents = supervisor === undefined ? [] : [supervisor.id];
  // Who lost its parent is a child of process 1: nothing of a sandbox is anywhere else.
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const child of childrenOf(parent)) {
      const process = readProcess(child);
      if (process !== undefined) others.push(process);
      parents.push(child);
    }
  }
  return { supervisor, others };
}

/**
 * The bytes of memory that processes use, each its part of what it shares with others. Those that do not
 * let themselves be asked count in full.
 */
export async function memoryOf(processes: readonly SandboxProcess[]): Promise<number> {
  const bytes = await Promise.all(
    processes.map(async ({ id, atMostBytes }) => (await proportionalBytes(id)) ?? atMostBytes),
  );
  return bytes.reduce((sum, each) => sum + each, 0);
}

function readProcess(id: number): SandboxProcess | undefined {
  const status = read(`/proc/${id}/status`);
  if (status === undefined) return undefined;
  // Files are the machine's programs, whose pages the kernel takes back when it needs them.
  const kibibytes = Array.from(status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm), ([, each]) =>
    Number(each),
  );
  return { id, atMostBytes: kibibytes.reduce((sum, each) => sum + each, 0) * 1024 };
}

/** For this the kernel walks all pages of a process, so that it is not asked while others wait for this thread. */
async function proportionalBytes(id: number): Promise<number | undefined> {
  const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'latin1').catch(() => '');
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** The kernel lists children by the thread that started them. */
function childrenOf(id: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${id}/task`);
  } catch {
    return [];
  }
  const lists = threads.map((thread) => read(`/proc/${id}/task/${thread}/children`) ?? '');
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Undefined where the process has ended. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

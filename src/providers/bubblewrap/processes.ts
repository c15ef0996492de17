import { readdirSync, readFileSync } from 'node:fs';

/** A process of a sandbox, by its id outside. */
export interface SandboxProcess {
  readonly id: number;
  /** What it has in memory, counting in full what it shares with others. */
  readonly residentBytes: number;
}

/** The processes of a sandbox. */
export interface SandboxProcesses {
  /** Process 1, which runs no program; undefined before it is there. */
  readonly supervisor: SandboxProcess | undefined;
  readonly others: readonly SandboxProcess[];
}

const PAGE_BYTES = 4096;

/**
 * Reads which processes a sandbox has. In one piece, so that no id can have passed on to a stranger
 * by the time that it is used.
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
export function memoryOf(processes: readonly SandboxProcess[]): number {
  return processes
    .map(({ id, residentBytes }) => proportionalBytes(id) ?? residentBytes)
    .reduce((sum, bytes) => sum + bytes, 0);
}

function readProcess(id: number): SandboxProcess | undefined {
  const [, residentPages] = read(`/proc/${id}/statm`)?.split(' ') ?? [];
  return residentPages === undefined
    ? undefined
    : { id, residentBytes: Number(residentPages) * PAGE_BYTES };
}

function proportionalBytes(id: number): number | undefined {
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${id}/smaps_rollup`) ?? '')?.[1];
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

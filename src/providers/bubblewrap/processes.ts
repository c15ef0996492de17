import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A process of a sandbox, by its id outside. */
export interface SandboxProcess {
  readonly id: number;
  /** One of its threads that still runs: the first one may have ended and tells nothing of memory then. */
  readonly threadId: number;
  /** What it has in memory or swap beside files, counting in full what it shares with others. */
  readonly privateBytes: number;
  /** What the kernel holds for it alone: page tables and huge pages. */
  readonly ownBytes: number;
  /** When it was started and how much processor time it has used, as the kernel writes them: changes when it computes. */
  readonly progress: string;
}

/** The processes of a sandbox. */
export interface SandboxProcesses {
  /** Process 1, which runs no program; undefined before it is there. */
  readonly supervisor: SandboxProcess | undefined;
  readonly others: readonly SandboxProcess[];
}

/** A process, and its part of what there is too much of. */
export interface Share {
  readonly id: number;
  readonly amount: number;
}

/** How often the children of process 1 are read again, for processes that became its children meanwhile. */
const MOST_ROUNDS = 5;

/**
 * Reads which processes a sandbox has, 64 at most. In one piece, so that an id that is used at once cannot
 * have passed on to a stranger.
 * @param launcherId - The process whose child is process 1.
 */
export function readProcesses(launcherId: number): SandboxProcesses {
  const [id] = childrenOf(launcherId, threadsOf(launcherId));
  if (id === undefined) return { supervisor: undefined, others: [] };
  const threads = threadsOf(id);
  const supervisor = readProcess(id, threads);
  const others = new Map<number, SandboxProcess>();
  // A process that lost its parent is a child of process 1: nothing of a sandbox is anywhere else.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const unknown = childrenOf(id, threads).filter((child) => !others.has(child));
    if (readDescendants(unknown, others)) break;
  }
  return { supervisor, others: [...others.values()] };
}

/**
 * Adds processes and their descendants to those that are known.
 * @returns Whether none of them has ended: the children of one that has may be children of process 1 by now.
 */
function readDescendants(ids: readonly number[], known: Map<number, SandboxProcess>): boolean {
  const waiting = [...ids];
  let haveAllMemory = true;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const threads = threadsOf(next);
    const process = readProcess(next, threads);
    if (process !== undefined) known.set(next, process);
    haveAllMemory &&= process !== undefined && process.privateBytes > 0;
    waiting.push(...childrenOf(next, threads));
  }
  return haveAllMemory;
}

/**
 * The bytes of memory that each process uses, with its part of what it shares with others as pages. A process that does
 * not let itself be asked counts in full.
 */
export async function memoryOf(processes: readonly SandboxProcess[]): Promise<readonly Share[]> {
  return Promise.all(
    processes.map(async ({ id, threadId, ownBytes }) => {
      // It may have ended since it was found, and has nothing then.
      const part = (await proportionalBytes(threadId)) ?? privateBytesOf(id);
      return { id, amount: part + ownBytes };
    }),
  );
}

function privateBytesOf(id: number): number {
  return readProcess(id, threadsOf(id))?.privateBytes ?? 0;
}

function readProcess(id: number, threads: readonly number[]): SandboxProcess | undefined {
  const stat = read(`/proc/${id}/stat`);
  if (stat === undefined) return undefined;
  const progress = progressOf(stat);
  for (const threadId of threads) {
    const status = read(`/proc/${threadId}/status`) ?? '';
    // Files are the machine's programs, whose pages the kernel takes back when it needs them, and those of
    // `/tmp`, which count whether they are mapped or not.
    const privateBytes = sumOfKibibytes(status, /^(?:RssAnon|VmSwap):\s+(\d+) kB$/gm);
    if (privateBytes === 0) continue;
    const ownBytes = sumOfKibibytes(status, /^(?:VmPTE|HugetlbPages):\s+(\d+) kB$/gm);
    return { id, threadId, privateBytes, ownBytes, progress };
  }
  return { id, threadId: id, privateBytes: 0, ownBytes: 0, progress };
}

/** The 14th, 15th and 22nd field of `/proc/…/stat`, counted after the name, which may hold anything. */
function progressOf(stat: string): string {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[11], fields[12], fields[19]].join(' ');
}

/** For this the kernel walks all pages of a process, so that it is not asked while others wait for this thread. */
async function proportionalBytes(id: number): Promise<number | undefined> {
  const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'latin1').catch(() => '');
  // Older kernels do not tell the parts of it.
  if (!/^Pss_Anon:/m.test(rollup)) return undefined;
  return sumOfKibibytes(rollup, /^(?:Pss_Anon|SwapPss):\s+(\d+) kB$/gm);
}

/** The sum of numbers of kibibytes, in bytes. */
function sumOfKibibytes(text: string, pattern: RegExp): number {
  return Array.from(text.matchAll(pattern)).reduce((sum, [, each]) => sum + Number(each), 0) * 1024;
}

/** The process itself, if it has one thread. */
export function threadsOf(id: number): number[] {
  try {
    return readdirSync(`/proc/${id}/task`).map(Number);
  } catch {
    return [];
  }
}

/** The kernel lists children by the thread that started them. */
export function childrenOf(id: number, threads: readonly number[]): number[] {
  const lists = threads.map((thread) => read(`/proc/${id}/task/${thread}/children`) ?? '');
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Undefined if the process has ended. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

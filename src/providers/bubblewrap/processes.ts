import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { attempt } from '../../shared/attempt.ts';

/** A process of a sandbox, with its id outside the sandbox. */
export interface SandboxProcess {
  readonly id: number;
  /**
   * One of its threads that still runs. The first thread may have ended; the kernel then reports no
   * memory for it.
   */
  readonly threadId: number;
  /**
   * Bytes in memory or swap, without files, counting in full what it shares with other processes.
   */
  readonly privateBytes: number;
  /** What the kernel holds for it alone: page tables and huge pages. */
  readonly ownBytes: number;
  /** Its start time and its processor time, as the kernel writes them. Changes when it computes. */
  readonly progress: string;
}

/** The processes of a sandbox. */
export interface SandboxProcesses {
  /** Process 1, which runs no program. Undefined before it has started. */
  readonly supervisor: SandboxProcess | undefined;
  readonly others: readonly SandboxProcess[];
}

/** A process, and the amount that it uses of something. */
export interface Share {
  readonly id: number;
  readonly amount: number;
}

/**
 * How often the children of process 1 are read again, because processes may have become its
 * children meanwhile.
 */
const MOST_ROUNDS = 5;

/**
 * Reads the processes of a sandbox, at most 64. It is synchronous, so that an id that is used right
 * afterwards cannot belong to another process.
 * @param launcherId - The process whose child is process 1.
 */
export function readProcesses(launcherId: number): SandboxProcesses {
  const [id] = childrenOf(launcherId, threadsOf(launcherId));
  if (id === undefined) return { supervisor: undefined, others: [] };
  const threads = threadsOf(id);
  const supervisor = readProcess(id, threads);
  const others = new Map<number, SandboxProcess>();
  // A process whose parent has ended becomes a child of process 1, so every process of the sandbox
  // is below it.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const unknown = childrenOf(id, threads).filter((child) => !others.has(child));
    if (readDescendants(unknown, others)) break;
  }
  return { supervisor, others: [...others.values()] };
}

/**
 * Adds processes and their descendants to `known`.
 * @returns False if one of them has ended, because its children may now be children of process 1.
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
 * Measures the bytes of memory that each process uses, with its part of the pages that it shares
 * with others. A process that cannot be measured counts in full.
 */
export async function memoryOf(processes: readonly SandboxProcess[]): Promise<readonly Share[]> {
  return Promise.all(
    processes.map(async ({ id, threadId, ownBytes }) => {
      // A process that has ended since it was found uses nothing.
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
    // Files do not count here: they are programs of the machine, whose pages the kernel frees when
    // it needs memory, and files of `/tmp`, which are counted separately.
    const privateBytes = sumOfKibibytes(status, /^(?:RssAnon|VmSwap):\s+(\d+) kB$/gm);
    if (privateBytes === 0) continue;
    const ownBytes = sumOfKibibytes(status, /^(?:VmPTE|HugetlbPages):\s+(\d+) kB$/gm);
    return { id, threadId, privateBytes, ownBytes, progress };
  }
  return { id, threadId: id, privateBytes: 0, ownBytes: 0, progress };
}

/**
 * The 14th, 15th and 22nd field of `/proc/…/stat`, counted after the name, which can contain any
 * character.
 */
function progressOf(stat: string): string {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[11], fields[12], fields[19]].join(' ');
}

/**
 * Asynchronous, because the kernel walks all pages of the process, which would block this thread.
 */
async function proportionalBytes(id: number): Promise<number | undefined> {
  const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'latin1').catch(() => '');
  // Older kernels do not report the parts.
  if (!/^Pss_Anon:/m.test(rollup)) return undefined;
  return sumOfKibibytes(rollup, /^(?:Pss_Anon|SwapPss):\s+(\d+) kB$/gm);
}

/** The sum of numbers of KiB, in bytes. */
function sumOfKibibytes(text: string, pattern: RegExp): number {
  return Array.from(text.matchAll(pattern)).reduce((sum, [, each]) => sum + Number(each), 0) * 1024;
}

/** The ids of a process's threads. The first one has the id of the process. */
export function threadsOf(id: number): number[] {
  try {
    return readdirSync(`/proc/${id}/task`).map(Number);
  } catch {
    return [];
  }
}

/** The children of a process. The kernel lists them by the thread that started them. */
export function childrenOf(id: number, threads: readonly number[]): number[] {
  const lists = threads.map((thread) => read(`/proc/${id}/task/${thread}/children`) ?? '');
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Undefined if the process has ended. */
function read(path: string): string | undefined {
  return attempt(() => readFileSync(path, 'latin1'));
}

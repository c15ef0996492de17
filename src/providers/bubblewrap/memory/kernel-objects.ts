import { readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { attempt } from '../../../shared/attempt.ts';
import type { SandboxProcess } from '../processes.ts';

/** Objects that the kernel holds for one process, besides its pages. */
export interface KernelObjects {
  /** Number of memory mappings. */
  readonly mappings: number;
  /** Number of files that its epoll instances watch. */
  readonly watches: number;
  /**
   * Names of its pipes. Processes can share a pipe, so names are needed to count each pipe once.
   */
  readonly pipes: readonly string[];
  /** The bytes that the kernel can keep for the texts of its open files in `/proc`. */
  readonly textBytes: number;
}

/**
 * At least this many mappings are listed, whatever the memory limit. One page of the kernel's list
 * has about forty.
 */
const FEWEST_MAPPINGS_READ = 2048;
/** Interpreters map at least twice as much at a time: V8 has pages of 256 KiB. */
const USUAL_MAPPING_BYTES = 131_072;
/** Counting stops here, because `MemoryWatch` needs no exact number above. */
const MOST_WATCHES_READ = 32_768;
/**
 * More than an entry of `/tmp` takes without its content (1.3 KiB with a name of 255 bytes, on
 * Linux 6.18).
 */
const ENTRY_BYTES = 2048;
/**
 * For an open file in `/proc`, the kernel keeps its longest line or its whole text. A line of
 * `maps` has the path of a file, which can be 4 MiB long with as many directories as `/tmp` can
 * have. `fdinfo` has a line for each file that an epoll instance watches.
 */
const LONG_TEXT = /\b(?:maps|smaps|numa_maps|fdinfo)\b/;
const LONG_TEXT_BYTES = 4 * 1024 * 1024;
/** For other files in `/proc`, whose text grows with the number of processors. */
const TEXT_BYTES = 65_536;
const CHUNK_BYTES = 16_384;
const LINE_FEED = 10;
/**
 * While the locks of the machine are read, every process that locks a file waits. So all sandboxes
 * share the result.
 */
const LOCKS_AGE_MS = 2000;

const NONE: KernelObjects = { mappings: 0, watches: 0, pipes: [], textBytes: 0 };

/** The objects of a process, and its progress when they were counted. */
interface Counted {
  readonly progress: string;
  readonly objects: KernelObjects;
  readonly atMs: number;
}

/**
 * The kernel reports processor time in steps of 10 ms. Work of a shorter time is noticed when the
 * objects are counted again.
 */
const COUNT_AGE_MS = 1000;

/**
 * Counts the objects of processes. The result is kept for a second for processes that have not
 * computed since.
 */
export class KernelObjectCounter {
  readonly #mappingsRead: number;
  /** The most mappings that the kernel allows for a process. */
  readonly #mostMappings = readNumber('/proc/sys/vm/max_map_count') ?? 65_530;
  #known: ReadonlyMap<number, Counted> = new Map();

  /**
   * @param memoryBytes - The memory limit of the sandbox. A process with far more mappings than
   * that needs counts as if it had as many as the kernel allows, because listing them takes too
   * long. If it is infinite, mappings are not counted.
   */
  constructor(memoryBytes: number) {
    this.#mappingsRead =
      memoryBytes === Infinity
        ? 0
        : Math.max(FEWEST_MAPPINGS_READ, Math.ceil(memoryBytes / USUAL_MAPPING_BYTES));
  }

  /**
   * Counts the objects of processes. Never throws.
   * @param isEnough - Called after each process. If it returns true, the others are not counted.
   */
  async count(
    processes: readonly SandboxProcess[],
    isEnough: (objects: KernelObjects) => boolean,
  ): Promise<void> {
    const counted = new Map<number, Counted>();
    for (const process of processes) {
      const { id, progress } = process;
      const known = this.#known.get(id);
      const now = performance.now();
      const isSame = known?.progress === progress && now - known.atMs < COUNT_AGE_MS;
      const latest = isSame
        ? known
        : { progress, objects: await this.#countOf(process), atMs: now };
      counted.set(id, latest);
      if (isEnough(latest.objects)) break;
    }
    this.#known = counted;
  }

  /**
   * Returns the objects of a process, if it has not computed since they were counted; otherwise
   * none.
   */
  objectsOf({ id, progress }: SandboxProcess): KernelObjects {
    const known = this.#known.get(id);
    return known?.progress === progress ? known.objects : NONE;
  }

  async #countOf({ threadId }: SandboxProcess): Promise<KernelObjects> {
    const [mappings, descriptors] = await Promise.all([
      countLines(`/proc/${threadId}/maps`, this.#mappingsRead),
      readDescriptors(threadId),
    ]);
    const isListed = mappings < this.#mappingsRead || this.#mappingsRead === 0;
    return { ...descriptors, mappings: isListed ? mappings : this.#mostMappings };
  }
}

/**
 * Counts the sockets of a sandbox, including those that no process has open.
 * @param id - One of its processes.
 */
export function countSockets(id: number): number {
  const text = attempt(() => readFileSync(`/proc/${id}/net/sockstat`, 'latin1')) ?? '';
  return Number(/^sockets: used (\d+)$/m.exec(text)?.[1] ?? 0);
}

let lockOwners: Promise<readonly number[]> | undefined;
let lockOwnersAtMs = 0;

/**
 * Counts the locks that processes hold on parts of files. The result is at most two seconds old.
 */
export async function countLocks(ids: ReadonlySet<number>): Promise<number> {
  const now = performance.now();
  if (lockOwners === undefined || now - lockOwnersAtMs > LOCKS_AGE_MS) {
    lockOwners = readLockOwners();
    lockOwnersAtMs = now;
  }
  return (await lockOwners).filter((id) => ids.has(id)).length;
}

async function readLockOwners(): Promise<readonly number[]> {
  const text = await readFile('/proc/locks', 'latin1').catch(() => '');
  return Array.from(text.matchAll(/^\d+: POSIX +\S+ +\S+ +(\d+) /gm), ([, id]) => Number(id));
}

/**
 * Returns the bytes of a sandbox's files, including what the kernel holds for their entries.
 * @param id - One of its processes.
 */
export function temporaryBytes(id: number): number {
  const facts = attempt(() => statfsSync(`/proc/${id}/root/tmp`));
  if (facts === undefined) return 0;
  const { blocks, bfree, bsize, files, ffree } = facts;
  return (blocks - bfree) * bsize + (files - ffree) * ENTRY_BYTES;
}

/**
 * How many bytes of messages a socket holds before it accepts no more: the default of the machine.
 */
export function socketBufferBytes(): number {
  return readNumber('/proc/sys/net/core/wmem_default') ?? 212_992;
}

async function readDescriptors(id: number): Promise<Omit<KernelObjects, 'mappings'>> {
  const names = attempt(() => readdirSync(`/proc/${id}/fdinfo`)) ?? [];
  const descriptors = names.flatMap((name) => {
    const target = readTarget(`/proc/${id}/fd/${name}`);
    return target === undefined ? [] : [{ name, target }];
  });
  let watches = 0;
  for (const { name, target } of descriptors) {
    if (target !== UNKNOWN && target !== 'anon_inode:[eventpoll]') continue;
    watches += await countLines(`/proc/${id}/fdinfo/${name}`, MOST_WATCHES_READ);
    if (watches > MOST_WATCHES_READ) break;
  }
  const targets = descriptors.map(({ target }) => target);
  return {
    watches,
    pipes: targets.filter((target) => target.startsWith('pipe:')),
    textBytes: targets.reduce((sum, target) => sum + mostTextBytes(target), 0),
  };
}

/**
 * The target of a file descriptor if the kernel does not report it, because the process is not
 * dumpable. It counts as the largest possible target.
 */
const UNKNOWN = '';

/** The target of a file descriptor. Undefined if it was closed. */
function readTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? UNKNOWN : undefined;
  }
}

function mostTextBytes(target: string): number {
  if (target === UNKNOWN) return LONG_TEXT_BYTES;
  if (!target.startsWith('/proc/')) return 0;
  return LONG_TEXT.test(target) ? LONG_TEXT_BYTES : TEXT_BYTES;
}

/**
 * Stops at `most` lines. Each read gets 4 KiB from the kernel, so that it holds no lock for long.
 */
async function countLines(path: string, most: number): Promise<number> {
  if (most === 0) return 0;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return 0;
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let lines = 0;
  try {
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return lines;
      const read = chunk.subarray(0, bytesRead);
      for (let at = read.indexOf(LINE_FEED); at !== -1; at = read.indexOf(LINE_FEED, at + 1)) {
        lines += 1;
      }
      if (lines >= most) return lines;
    }
  } catch {
    // The process has ended.
    return lines;
  } finally {
    await file.close().catch(() => {});
  }
}

function readNumber(path: string): number | undefined {
  const text = attempt(() => readFileSync(path, 'latin1'));
  return text === undefined ? undefined : Number(text);
}

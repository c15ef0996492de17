import { readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { SandboxProcess } from './processes.ts';

/** What the kernel holds for one process beside pages, in numbers of objects. */
export interface KernelObjects {
  /** Mappings of memory. */
  readonly mappings: number;
  /** What its epoll instances watch. */
  readonly watches: number;
  /** Its pipes, by names that tell them apart: processes share them. */
  readonly pipes: readonly string[];
  /** The bytes that the kernel can keep of the texts of files in `/proc` that it has open. */
  readonly textBytes: number;
}

/** Fewer than this no limit of memory has listed; each page of the kernel's list has some forty. */
const FEWEST_MAPPINGS_READ = 2048;
/** Interpreters map at least twice as much at a time: V8 has pages of 256 KiB. */
const USUAL_MAPPING_BYTES = 131_072;
/** Above this number there is no need to know how many: see `MemoryWatch`. */
const MOST_WATCHES_READ = 32_768;
/** More than an entry of `/tmp` takes without its content (1.3 KiB with a name of 255 bytes, on Linux 6.18). */
const ENTRY_BYTES = 2048;
/**
 * The kernel keeps the longest line of an open file in `/proc`, or its whole text. A line of `maps` has the path of a file,
 * and as many directories as `/tmp` can have make 4 MiB of it; `fdinfo` has as many lines as an epoll instance watches files.
 */
const LONG_TEXT = /\b(?:maps|smaps|numa_maps|fdinfo)\b/;
const LONG_TEXT_BYTES = 4 * 1024 * 1024;
/** Of other files there, which grow with the processors of the machine. */
const TEXT_BYTES = 65_536;
const CHUNK_BYTES = 16_384;
const LINE_FEED = 10;
/** To read the locks of the machine makes whoever locks a file wait, so that all sandboxes share what was read. */
const LOCKS_AGE_MS = 2000;

const NONE: KernelObjects = { mappings: 0, watches: 0, pipes: [], textBytes: 0 };

/** What was counted of a process, and at which point of its work. */
interface Counted {
  readonly progress: string;
  readonly objects: KernelObjects;
  readonly atMs: number;
}

/** The kernel tells processor time in steps of 10 ms: what a process did in less shows when it is counted again. */
const COUNT_AGE_MS = 1000;

/** Counts the objects of processes. Keeps what it counted of those that have not computed since, for a second. */
export class KernelObjectCounter {
  readonly #mappingsRead: number;
  /** What the kernel lets a process have. */
  readonly #mostMappings = readNumber('/proc/sys/vm/max_map_count') ?? 65_530;
  #known: ReadonlyMap<number, Counted> = new Map();

  /**
   * @param memoryBytes - The memory of the sandbox. A process with far more mappings than that needs counts as if
   * it had as many as the kernel allows, for to list them all takes too long. If it is infinite, none are counted.
   */
  constructor(memoryBytes: number) {
    this.#mappingsRead =
      memoryBytes === Infinity
        ? 0
        : Math.max(FEWEST_MAPPINGS_READ, Math.ceil(memoryBytes / USUAL_MAPPING_BYTES));
  }

  /**
   * Counts those of processes. Never throws.
   * @param isEnough - Asked after each process: the others need not be counted any more.
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

  /** What was counted of a process, if that was at the same point of its work. */
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

/** The sockets of a sandbox, whether a process has them or not. @param id - One of its processes. */
export function countSockets(id: number): number {
  const text = attempt(() => readFileSync(`/proc/${id}/net/sockstat`, 'latin1')) ?? '';
  return Number(/^sockets: used (\d+)$/m.exec(text)?.[1] ?? 0);
}

let lockOwners: Promise<readonly number[]> | undefined;
let lockOwnersAtMs = 0;

/** The locks that processes hold on parts of files, as of two seconds ago at most. */
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

/** The bytes of a sandbox's files, with what the kernel holds for their entries. @param id - One of its processes. */
export function temporaryBytes(id: number): number {
  const facts = attempt(() => statfsSync(`/proc/${id}/root/tmp`));
  if (facts === undefined) return 0;
  const { blocks, bfree, bsize, files, ffree } = facts;
  return (blocks - bfree) * bsize + (files - ffree) * ENTRY_BYTES;
}

/** How many bytes of messages a socket holds before it lets no more in: the machine's default. */
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

/** Stands for what the kernel does not tell of a process that is not dumpable: counts as the most that it can be. */
const UNKNOWN = '';

/** What a descriptor is of; undefined if it was closed. */
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

/** Stops when it has counted this many. The kernel hands out 4 KiB at a time, so that no other is held up. */
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
    // It ended meanwhile.
    return lines;
  } finally {
    await file.close().catch(() => {});
  }
}

function readNumber(path: string): number | undefined {
  const text = attempt(() => readFileSync(path, 'latin1'));
  return text === undefined ? undefined : Number(text);
}

/** Undefined if the kernel does not say, as of a process that has ended. */
function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
